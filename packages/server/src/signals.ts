/** The signals that end or reload a process in the foreground. */
export { onInterrupt, type SignalSource } from './running-daemon/on-interrupt.ts';
export { serveSignals } from './running-daemon/serve-signals.ts';
