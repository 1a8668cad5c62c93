/** Encodes bytes as base64, for Python. */
export async function base64(bytes) {
  const reader = new FileReader();
  await new Promise((resolve, reject) => {
    reader.onload = resolve;
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(new Blob([bytes]));
  });
  return reader.result.slice(reader.result.indexOf(",") + 1);
}
