import type { Behaviour } from './behaviour.ts';
import type { EntrySkills } from './executor-worlds.ts';

/** Scripts in JavaScript. */
export const scripts: EntrySkills = { entry: 'index.js', contentThat: scriptThat };

/** Behaviours that a script cannot have: its output is a value, and the runtime writes the JSON. */
export const beyondScripts: readonly Behaviour[] = ['answers no JSON', 'answers no UTF-8'];

function scriptThat(behaviour: Behaviour): string {
  if (typeof behaviour === 'object') {
    if ('answersBytes' in behaviour) return `export default () => 'x'.repeat(${behaviour.answersBytes - 2});`;
    if ('fails' in behaviour)
      return `export default () => { throw new Error(${JSON.stringify(behaviour.fails)}); };`;
    if ('logsAndStays' in behaviour)
      return `export default () => { console.log(${JSON.stringify(behaviour.logsAndStays)}); for (;;); };`;
    return `export default () => { console.log(${JSON.stringify(behaviour.logs)}); return 1; };`;
  }
  switch (behaviour) {
    case 'echoes':
      return 'export default (input) => input;';
    case 'never ends':
      return 'export default () => { for (;;); };';
    case 'crashes':
      return 'export default function crash() { crash(); }';
    case 'leaves a mark':
      return `
        import * as ambit from 'ambit';
        let mine = false;
        export default () => {
          const places = [globalThis, Object.prototype, Array, Math, JSON, console, ambit.env];
          const found = mine || places.some((place) => Object.hasOwn(place, 'mark'));
          mine = true;
          for (const place of places) place.mark = true;
          return found;
        };`;
    case 'answers nothing':
      return 'export default () => {};';
    case 'cannot start':
      return 'export default (';
    default:
      throw new Error(`a script that ${behaviour}`);
  }
}
