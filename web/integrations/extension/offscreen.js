// Loads the model once, and replies to the messages that the service worker forwards.

import { load } from "./yolo-pose/yolo-pose.js";

const loading = load();

/** Runs the model on a picture's URL, which may be a `data:` URL. */
async function find(picture) {
  const model = await loading;
  const { poses } = await model.run(await (await fetch(picture)).blob());
  return { poses };
}

chrome.runtime.onMessage.addListener(({ to, picture }, _sender, answer) => {
  if (to !== "offscreen") return false;
  find(picture).then(answer, ({ code, message, fix }) => answer({ code, message, fix }));
  return true;
});
