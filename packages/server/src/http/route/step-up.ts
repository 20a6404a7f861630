/** The need of a web console's session besides its scope: an unlocked session, or a code for this one request. */
export type StepUp = 'none' | 'unlock' | 'confirm';

/** The step-up of a route's contract. A person at a terminal has the codes; an agent with a browser does not. */
export function stepUpOf({
  method,
  scope,
  stepUp,
}: {
  method: string;
  scope: string;
  stepUp?: 'none';
}): StepUp {
  if (stepUp !== undefined || method === 'GET' || scope === 'open') return 'none';
  return scope === 'approve' ? 'confirm' : 'unlock';
}
