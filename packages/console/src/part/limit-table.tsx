import type { SkillDetail } from '@ambit/client';
import { bytesText, countText, durationText } from '../format/units.ts';
import { Table } from './table.tsx';
import { Visible } from './visible.tsx';

type CallLimits = SkillDetail['scriptLimits'];

/** The limits of calls: what each gets without limits of its own, and the most that it can ask for. */
export function LimitTable({ rows }: { rows: readonly { name: string; limits: CallLimits }[] }) {
  return (
    <Table
      columns={['Calls of', 'Memory', 'Time', 'CPU time', 'Processes', 'Each file', 'Output', 'Fuel']}
      rows={rows.map(({ name, limits: { default: usual, max } }) => ({
        key: name,
        cells: [
          <Visible text={name} />,
          rangeText(bytesText, usual.memoryBytes, max.memoryBytes),
          rangeText(durationText, usual.timeoutMs, max.timeoutMs),
          rangeText(durationText, usual.cpuMs, max.cpuMs),
          rangeText(countText, usual.processes, max.processes),
          rangeText(bytesText, usual.fileBytes ?? null, max.fileBytes ?? null),
          rangeText(bytesText, usual.outputBytes, max.outputBytes),
          usual.fuel !== null && rangeText(countText, usual.fuel, max.fuel),
        ],
      }))}
    />
  );
}

/** `512 MiB, at most 2 GiB`. */
function rangeText(text: (value: number) => string, usual: number | null, max: number | null): string {
  const [least, most] = [usual, max].map((value) => (value === null ? 'unlimited' : text(value)));
  return least === most ? (least ?? '') : `${least}, at most ${most}`;
}
