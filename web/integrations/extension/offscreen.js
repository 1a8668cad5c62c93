// Loads the model once, and answers what the service worker passes on.

import { load } from "./yolo-pose/yolo-pose.js";

const loading = load();

/** `picture` is an address, `data:` too. */
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
