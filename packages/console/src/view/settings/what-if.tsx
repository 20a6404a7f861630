import type { PolicyDecision, PolicyQuestion } from '@ambit/client';
import { useLocation } from 'preact-iso';
import { Copy } from '../../part/copy.tsx';
import { useLoaded } from '../../part/loaded.ts';
import { Mark } from '../../part/outcome.tsx';
import { Shown } from '../../part/shown.tsx';
import { Visible } from '../../part/visible.tsx';
import { paths } from '../../paths.ts';
import { client } from '../../session/session.ts';

type Kind = PolicyQuestion['capability']['kind'];

const kinds = [
  ['network', 'reach the host', 'api.example.com:443'],
  ['filesystem.read', 'read the path', '/srv/repos'],
  ['filesystem.write', 'write the path', '/srv/out'],
  ['exec', 'run the program', 'git'],
  ['env', 'read the variable', 'LANG'],
  ['secrets', 'use the secret', 'GITHUB_TOKEN'],
] as const;

/** The description of each rule. */
const rules: Readonly<Record<PolicyDecision['rule'], string>> = {
  request: "the skill's own request in its ambit.yaml",
  policy: 'the configuration, by a deny rule or a missing grant',
  grant: "the skill's grant in the configuration",
  tier: "the skill's tier",
  ceiling: "the key's upper bound",
  key: "the key's skills and scopes",
};

/** "May skill S reach host H for key K?", answered by the rule that decides. */
export function WhatIf() {
  const { query, route } = useLocation();
  const { skill = '', kind = 'network', item = '', key = '' } = query;
  const isAsked = skill !== '' && item !== '';
  const answer = useLoaded(JSON.stringify([skill, kind, item, key]), async (signal) =>
    isAsked
      ? client.decide(
          { skill, capability: { kind: kind as Kind, item }, key: key === '' ? undefined : key },
          { signal },
        )
      : undefined,
  );
  return (
    <section>
      <h2>What if?</h2>
      <form
        class="filters"
        onSubmit={(event) => {
          event.preventDefault();
          const parameters = [...new FormData(event.currentTarget)].filter(([, value]) => value !== '');
          route(`${paths.settings}?${new URLSearchParams(parameters as [string, string][])}`);
        }}
      >
        <label>
          Skill
          <input name="skill" required defaultValue={skill} autocomplete="off" />
        </label>
        <label>
          Action
          <select name="kind">
            {kinds.map(([value, text]) => (
              <option value={value} selected={value === kind}>
                {text}
              </option>
            ))}
          </select>
        </label>
        <label>
          Host, path or name
          <input
            name="item"
            required
            defaultValue={item}
            placeholder={kinds.find(([value]) => value === kind)?.[2] ?? ''}
            autocomplete="off"
          />
        </label>
        <label>
          Key (empty: any)
          <input name="key" defaultValue={key} autocomplete="off" />
        </label>
        <button type="submit" class="primary">
          Ask
        </button>
      </form>
      {isAsked && (
        <Shown loaded={answer}>
          {(decided) =>
            decided === undefined ? null : (
              <div role="status">
                <p>
                  <Mark
                    tone={decided.allowed ? 'good' : 'refused'}
                    word={decided.allowed ? 'allowed' : 'refused'}
                  />
                  : <Visible text={decided.because} />
                </p>
                <p>Decided by {rules[decided.rule]}.</p>
                {decided.remedy !== null && (
                  <p>
                    {decided.remedy.startsWith('grants:') ? 'To allow it, add ' : 'To allow it: '}
                    <Copy text={decided.remedy} label="the line that allows it" />
                    {decided.remedy.startsWith('grants:') &&
                      ' to ambit.config.yaml. Then run ambit trust and ambit config reload.'}
                  </p>
                )}
              </div>
            )
          }
        </Shown>
      )}
    </section>
  );
}
