import type { ComponentChildren } from 'preact';
import { isReadOnly, session } from './session.ts';

/** A section that a read-only session cannot use: such a session sees `title` and the reason instead. */
export function UnlessReadOnly({
  title,
  cannot,
  children,
}: {
  title?: string;
  cannot: string;
  children: ComponentChildren;
}) {
  if (!isReadOnly(session.value)) return <>{children}</>;
  return (
    <section>
      {title !== undefined && <h2>{title}</h2>}
      <p class="empty">
        This session is read-only, so it cannot {cannot}. Sign in again with <code>ambit console</code>,
        without <code>--read-only</code>.
      </p>
    </section>
  );
}
