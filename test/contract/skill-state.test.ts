import { skillStateContract } from './skill-state.ts';
import { processStates, scriptStates } from './support/state-world.ts';

skillStateContract('programs', processStates, { savesAtOnce: false });
skillStateContract('scripts', scriptStates, { savesAtOnce: true });
