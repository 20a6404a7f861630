import type { InstallReview } from '@ambit/client';
import { useState } from 'preact/hooks';
import { daemonNow } from '../../format/clock.ts';
import { client } from '../../session/session.ts';
import { StepUp } from '../../session/step-up.tsx';

const dayMs = 86_400_000;
const durations = [
  ['', 'until it is revoked'],
  [String(dayMs), 'for one day'],
  [String(7 * dayMs), 'for 7 days'],
  [String(30 * dayMs), 'for 30 days'],
] as const;

type Choice = 'approve' | 'revoke' | 'postpone';

const titles: Readonly<Record<Choice, { title: string; action: string; done: string }>> = {
  approve: { title: 'Approve', action: 'Approve', done: 'Approved: the next call runs this version' },
  revoke: { title: 'Revoke', action: 'Revoke', done: 'Revoked: this version does not run' },
  postpone: { title: 'Postpone', action: 'Postpone', done: 'Postponed by a day' },
};

/** Approve, postpone or revoke. Each needs a code from a terminal. */
export function Decision({
  review,
  onDecided,
  onLater,
}: {
  review: InstallReview;
  onDecided: (sentence: string) => void;
  onLater: () => void;
}) {
  const [choice, setChoice] = useState<Choice>();
  const [tier, setTier] = useState<'' | 'verified' | 'local'>('');
  const [lasts, setLasts] = useState('');
  const { skill, digest } = review;
  const decide = async (made: Choice, confirmation: string): Promise<void> => {
    const until = (ms: number) => new Date(daemonNow() + ms).toISOString();
    if (made === 'approve') {
      const approval = {
        digest,
        review: review.review,
        tier: tier === '' ? undefined : tier,
        until: lasts === '' ? undefined : until(Number(lasts)),
      };
      await client.installs.approve(skill.id, approval, { confirmation });
    } else if (made === 'revoke') await client.installs.revoke(digest, null, { confirmation });
    else await client.installs.postpone(skill.id, { until: until(dayMs) }, { confirmation });
    onDecided(titles[made].done);
  };
  return (
    <section class="decision">
      <h2>Decide</h2>
      <p>
        You decide only about <code>{digest}</code>. A later version waits for its own decision. An approved
        skill runs in the sandbox. For hosts, secrets and folders it also needs a grant in ambit.config.yaml.
      </p>
      <div class="buttons">
        <label>
          Tier
          <select value={tier} onChange={(event) => setTier(event.currentTarget.value as typeof tier)}>
            <option value="">the publisher's tier, or verified</option>
            <option value="verified">verified</option>
            <option value="local">local, like your own skills</option>
          </select>
        </label>
        <label>
          Approval lasts
          <select value={lasts} onChange={(event) => setLasts(event.currentTarget.value)}>
            {durations.map(([value, text]) => (
              <option value={value}>{text}</option>
            ))}
          </select>
        </label>
      </div>
      <div class="buttons">
        <button type="button" class="primary" onClick={() => setChoice('approve')}>
          Approve…
        </button>
        <button type="button" onClick={() => setChoice('postpone')}>
          Postpone by a day…
        </button>
        <button type="button" class="danger" onClick={() => setChoice('revoke')}>
          Revoke…
        </button>
        <button type="button" onClick={onLater}>
          Back
        </button>
      </div>
      {choice !== undefined && (
        <StepUp
          title={`${titles[choice].title} ${skill.id}`}
          action={titles[choice].action}
          decision={choice === 'revoke' ? choice : `${choice} ${skill.id}`}
          act={(code) => decide(choice, code)}
          onClose={() => setChoice(undefined)}
        />
      )}
    </section>
  );
}
