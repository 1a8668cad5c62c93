// A service worker can start no worker of its own, so the model is in an offscreen document, which this opens when needed.

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

/** `{ to: "model", picture }` from any page or content script of the extension is answered with what is found. */
chrome.runtime.onMessage.addListener((message, _sender, answer) => {
  if (message.to !== "model") return false;
  openOffscreen()
    .then(() => chrome.runtime.sendMessage({ ...message, to: "offscreen" }))
    .then(answer);
  return true;
});

chrome.action.onClicked.addListener(() => chrome.tabs.create({ url: "page.html" }));
