// Threat model: T57, T58

import { databases } from '../../packages/server/src/store/testing/databases.ts';
import { isWhole } from '../support/whole.ts';
import { skillStateContract } from './skill-state.ts';
import { processStates, scriptStates } from './support/state-world.ts';

// store/skill-state.test.ts holds for each database; here, each runtime and each database is tried once.
for (const [at, database] of databases.entries()) {
  const { name } = database;
  if (isWhole || at === 0)
    skillStateContract(`programs on ${name}`, () => processStates(database), { savesImmediately: false });
  if (isWhole || at === databases.length - 1)
    skillStateContract(`scripts on ${name}`, () => scriptStates(database), { savesImmediately: true });
}
