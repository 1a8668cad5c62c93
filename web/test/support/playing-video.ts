// An endless video, made from a canvas.

export interface Film {
  video: HTMLVideoElement;
  /** From now on its frames have this size. */
  resize: (width: number, height: number) => void;
  end: () => void;
}

/** Plays 64 x 48 pixels, thirty new frames a second. */
export async function film(): Promise<Film> {
  const canvas = Object.assign(document.createElement("canvas"), { width: 64, height: 48 });
  const context = canvas.getContext("2d");
  if (context === null) throw new Error("no canvas");
  let turn = 0;
  const timer = setInterval(() => {
    context.fillStyle = `hsl(${turn++ * 7} 80% 50%)`;
    context.fillRect(0, 0, canvas.width, canvas.height);
  }, 33);
  const stream = canvas.captureStream(30);
  const video = Object.assign(document.createElement("video"), { srcObject: stream, muted: true });
  document.body.append(video);
  await video.play();
  const end = (): void => {
    clearInterval(timer);
    for (const track of stream.getTracks()) track.stop();
    video.remove();
  };
  const resize = (width: number, height: number): void => void Object.assign(canvas, { width, height });
  return { video, resize, end };
}
