/** The program of the store's thread: the same file, from source or built. */
export const storeProgram = new URL(
  `./store-program${import.meta.url.slice(import.meta.url.lastIndexOf('.'))}`,
  import.meta.url,
);
