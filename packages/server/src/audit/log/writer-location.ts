/** The program of the log's thread: the same file, from source or built. */
export const writerProgram = new URL(
  `./writer-program${import.meta.url.slice(import.meta.url.lastIndexOf('.'))}`,
  import.meta.url,
);
