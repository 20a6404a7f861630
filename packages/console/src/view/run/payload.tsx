import { Block } from '../../part/visible.tsx';
import { outputsIn } from './outputs-in.ts';

/** The stored input or output of a call. What a program printed is shown line by line. */
export function Payload({ text, isCut, label }: { text: string; isCut: boolean; label: string }) {
  const outputs = outputsIn(text, isCut);
  if (outputs === undefined) return <Block text={text} label={label} />;
  return (
    <>
      {outputs.map(([name, printed]) => (
        <>
          <h4>{name}</h4>
          <Block text={printed} label={name} />
        </>
      ))}
    </>
  );
}
