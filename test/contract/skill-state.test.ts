// Threat model: T57, T58

import { databases } from '../../packages/server/src/store/testing/databases.ts';
import { skillStateContract } from './skill-state.ts';
import { processStates, scriptStates } from './support/state-world.ts';

for (const database of databases) {
  const { name } = database;
  skillStateContract(`programs on ${name}`, () => processStates(database), { savesImmediately: false });
  skillStateContract(`scripts on ${name}`, () => scriptStates(database), { savesImmediately: true });
}
