import { skillStateContract } from './skill-state.ts';
import { processStates, scriptStates } from './support/state-world.ts';

skillStateContract('programs', processStates, { savesImmediately: false });
skillStateContract('scripts', scriptStates, { savesImmediately: true });
