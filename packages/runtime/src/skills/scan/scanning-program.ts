// The program of a scanning thread. It may block: no request is served in this thread.
import { parentPort, workerData } from 'node:worker_threads';
import { blockingDisk } from '../folder/disk.ts';
import { localScanner } from './scanner.ts';
import type { ScanRequest } from './scanning-thread.ts';
import type { SkillRoot } from './skill-root.ts';

const scanner = localScanner(workerData as readonly SkillRoot[], blockingDisk);

parentPort?.on('message', (question: ScanRequest) => {
  const answer = question === 'survey' ? scanner.survey() : scanner.read(question);
  void answer.then((given) => parentPort?.postMessage(given));
});
