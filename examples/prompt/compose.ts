// Prints the prompt for one phase of work, composed from a folder of skills, within 2,000 tokens. It needs no daemon,
// and nothing of a skill runs.
//
//   node compose.ts FOLDER [PHASE]
import { composePrompt, selectSkills } from '@ambit/core';
import { folderCatalog } from '@ambit/runtime';

const [folder, phase] = process.argv.slice(2);
if (folder === undefined) throw new Error('usage: node compose.ts FOLDER [PHASE]');

// Skills that you have not reviewed are untrusted: marked as such, and placed last.
const catalog = folderCatalog([{ path: folder, tier: 'untrusted' }]);
const skills = await catalog.list();
for (const { root, problem } of await catalog.broken()) console.error(`${root} is not used: ${problem}`);

const phases = phase === undefined ? {} : { [phase]: {} };
const selection = selectSkills({ skills, phases }, { phase });
const { prompt, warnings } = composePrompt({
  systemPrompt: '<identity>You are a careful engineer.</identity>',
  selection,
  budgetTokens: 2000,
});
for (const warning of warnings) console.error(warning);
console.log(prompt);
await catalog.close();
