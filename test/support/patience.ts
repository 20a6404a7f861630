/** The time that a test waits for a thing. A busy machine needs minutes, and only a thing that never comes takes all of it. */
export const patienceMs = 300_000;
