// Workers with shims/refusing.js, whose GPU refuses a command on request.

/** Makes the GPU refuse the next command. */
export function refuse(): Promise<void> {
  const channel = new BroadcastChannel("refusing");
  return new Promise((resolve) => {
    channel.onmessage = () => {
      channel.close();
      resolve();
    };
    channel.postMessage("refuse");
  });
}
