// Opens the offscreen document with the model on demand, because a service worker cannot start workers.

let opening = null;

async function openOffscreen() {
  if (await chrome.offscreen.hasDocument()) return;
  opening ??= chrome.offscreen
    .createDocument({ url: "offscreen.html", reasons: ["WORKERS"], justification: "Runs a model." })
    .finally(() => {
      opening = null;
    });
  await opening;
}

/** Replies to `{ to: "model", picture }` from any page or content script of the extension with the model's result. */
chrome.runtime.onMessage.addListener((message, _sender, answer) => {
  if (message.to !== "model") return false;
  openOffscreen()
    .then(() => chrome.runtime.sendMessage({ ...message, to: "offscreen" }))
    .then(answer);
  return true;
});

chrome.action.onClicked.addListener(() => chrome.tabs.create({ url: "page.html" }));
