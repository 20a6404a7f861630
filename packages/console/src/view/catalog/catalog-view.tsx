import type { SkillList } from '@ambit/client';
import { useEffect, useRef } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { countText, plural } from '../../format/units.ts';
import { useLoaded } from '../../part/loaded.ts';
import { Page } from '../../part/page.tsx';
import { Empty, Shown } from '../../part/shown.tsx';
import { Table } from '../../part/table.tsx';
import { Time } from '../../part/time.tsx';
import { Visible } from '../../part/visible.tsx';
import { paths, runsPath, skillPath } from '../../paths.ts';
import { useLive } from '../../session/live.ts';
import { client } from '../../session/session.ts';
import { requestText } from './risks.ts';

const pageSize = 200;

/** All skills that the daemon has, and the folders that it cannot use. */
export function CatalogView() {
  const { query, route } = useLocation();
  const { q = '', after } = query;
  const list = useLoaded(`catalog ${q} ${after}`, (signal) =>
    client.skills({ limit: pageSize, q: q === '' ? undefined : q, after }, { signal }),
  );
  const used = useLoaded('used', (signal) => client.audit.stats({}, { signal }));
  useLive(used.reload);
  const calls = new Map(used.value?.bySkill.map((each) => [each.skill, each]));
  return (
    <Page title="Catalog" lead="The skills that agents can find and call.">
      <search>
        <form
          class="filters"
          onSubmit={(event) => {
            event.preventDefault();
            const words = String(new FormData(event.currentTarget).get('q'));
            route(words === '' ? paths.catalog : `${paths.catalog}?${new URLSearchParams({ q: words })}`);
          }}
        >
          <label>
            Search names and descriptions
            <input name="q" type="search" defaultValue={q} />
          </label>
          <button type="submit">Search</button>
        </form>
      </search>
      <Shown loaded={list}>
        {({ skills, next, broken, brokenCount }) => (
          <>
            {skills.length === 0 ? (
              <Empty>
                {q === ''
                  ? 'There are no skills. Put a folder with a SKILL.md into one of the configured skill folders.'
                  : 'No skill matches. Search for other words.'}
              </Empty>
            ) : (
              <Table
                columns={[
                  'Skill',
                  'Description',
                  'Requests',
                  'Tier',
                  { heading: 'Calls', is: 'number' },
                  'Last call',
                ]}
                rows={skills.map(
                  ({ id, description, tier, executable, requests, hiddenFrom = [], warnings }) => ({
                    key: id,
                    cells: [
                      <a href={skillPath(id)}>
                        <Visible text={id} />
                      </a>,
                      <Visible text={description.slice(0, 300)} />,
                      requests.length === 0 ? (
                        'none'
                      ) : (
                        <Visible text={requests.map(requestText).join(', ')} />
                      ),
                      [
                        executable ? tier : `${tier}, instructions only`,
                        ...hiddenFrom.map((who) =>
                          who === 'models' ? 'hidden from models' : 'hidden from menus',
                        ),
                        ...(warnings.length === 0 ? [] : [plural(warnings.length, 'warning')]),
                      ].join(', '),
                      <a href={runsPath({ skill: id })}>{countText(calls.get(id)?.calls ?? 0)}</a>,
                      calls.has(id) && <Time at={calls.get(id)?.lastAt ?? 0} isAge />,
                    ],
                  }),
                )}
              />
            )}
            {next !== null && (
              <nav class="pages" aria-label="Pages">
                <a
                  href={`${paths.catalog}?${new URLSearchParams(q === '' ? { after: next } : { q, after: next })}`}
                >
                  More skills
                </a>
              </nav>
            )}
            {brokenCount > 0 && <Broken broken={broken} count={brokenCount} />}
          </>
        )}
      </Shown>
    </Page>
  );
}

function Broken({ broken, count }: { broken: SkillList['broken']; count: number }) {
  const section = useRef<HTMLElement>(null);
  useEffect(() => {
    // The browser looked for it before it was loaded.
    if (location.hash === '#broken') section.current?.scrollIntoView();
  }, []);
  return (
    <section id="broken" ref={section}>
      <h2>Broken skills</h2>
      <ul>
        {broken.map(({ id, root, problem }) => (
          <li>
            <strong>
              <Visible text={id} />
            </strong>{' '}
            in <Visible text={root} />: <Visible text={problem} />
          </li>
        ))}
      </ul>
      {count > broken.length && <p>{countText(count)} in total.</p>}
    </section>
  );
}
