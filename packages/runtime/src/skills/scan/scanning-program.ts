// The program of a scanning thread. Nobody waits for this thread, so it may block.
import { parentPort, workerData } from 'node:worker_threads';
import { blockingDisk } from '../disk.ts';
import type { SkillRoot } from '../skill-root.ts';
import { scannerHere } from './scanner.ts';
import type { Question } from './scanning-thread.ts';

const scanner = scannerHere(workerData as readonly SkillRoot[], blockingDisk);

parentPort?.on('message', (question: Question) => {
  const answer = question === 'survey' ? scanner.survey() : scanner.read(question);
  void answer.then((given) => parentPort?.postMessage(given));
});
