// The program of a scanning thread. It may block: no request is served in this thread.
import { parentPort, workerData } from 'node:worker_threads';
import { blockingDisk } from '../folder/disk.ts';
import { localScanner } from './scanner.ts';
import type { ScanRequest } from './scanning-thread.ts';
import type { SkillRoot } from './skill-root.ts';

const scanner = localScanner(workerData as readonly SkillRoot[], blockingDisk);

parentPort?.on('message', (question: ScanRequest) => {
  const answer = 'read' in question ? scanner.read(question.read) : scanner.survey(question.survey);
  void answer.then((given) => parentPort?.postMessage(given));
});
