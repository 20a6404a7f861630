import type { Daemon } from '../../support/daemon-process.ts';

/** The samples of a daemon's metrics, by name and labels as they are printed. */
export async function metricsOf({ url, key }: Pick<Daemon, 'url' | 'key'>): Promise<Record<string, number>> {
  const response = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${key}` } });
  const samples = (await response.text()).matchAll(/^(\w+(?:\{.*\})?) (\S+)$/gm);
  return Object.fromEntries(
    Array.from(samples, ([, name = '', value]) => [name.replace('{}', ''), Number(value)]),
  );
}
