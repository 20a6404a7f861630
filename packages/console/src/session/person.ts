const actions = ['keydown', 'pointerdown', 'pointermove', 'wheel'] as const;

/** Returns whether a person has used the page since the last time it was asked. Opening the page counts. */
export function personWatch(): () => boolean {
  let hasActed = true;
  const acted = (): void => {
    hasActed = true;
  };
  for (const action of actions) addEventListener(action, acted, { capture: true, passive: true });
  return () => {
    const since = hasActed;
    hasActed = false;
    return since;
  };
}
