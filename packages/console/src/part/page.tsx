import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { visibleText } from '../format/visible.ts';
import { Visible } from './visible.tsx';

/** A view with its heading, which gets the focus when the view opens, so that screen readers announce it. */
export function Page({
  title,
  lead,
  children,
}: {
  title: string;
  lead?: string;
  children: ComponentChildren;
}) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${visibleText(title)} · Ambit`;
    heading.current?.focus();
  }, [title]);
  return (
    <>
      <h1 ref={heading} tabIndex={-1}>
        <Visible text={title} />
      </h1>
      {lead !== undefined && <p class="lead">{lead}</p>}
      {children}
    </>
  );
}
