import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { sentence } from '../api';
import { ago, short, shortTime, since, wholeTime } from '../format';
import { now, say } from '../state';
import { Icon } from './icon';

export function Empty({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <div class="empty">
      <h2>{title}</h2>
      {children}
    </div>
  );
}

/** An error message, with a button to try again. */
export function Trouble({ text, again }: { text: string; again?: () => void }) {
  return (
    <div class="flow trouble" role="alert">
      <span>{text}</span>
      {again && (
        <button type="button" onClick={again}>
          Try again
        </button>
      )}
    </div>
  );
}

export function Problem({ text }: { text: string | null }) {
  return text === null ? null : (
    <p class="error" role="alert">
      {text}
    </p>
  );
}

interface SearchProps {
  readonly label: string;
  readonly value: string;
  readonly set: (value: string) => void;
}

/** The field that the `/` key focuses. */
export function Search({ label, value, set }: SearchProps) {
  return (
    <input
      type="search"
      data-filter
      placeholder="Filter"
      aria-label={label}
      value={value}
      onInput={(event) => set(event.currentTarget.value)}
    />
  );
}

export function Loading() {
  return (
    <p class="loading" role="status">
      Reading…
    </p>
  );
}

function When({ at, title, words }: { at: string; title: string; words: string }) {
  return (
    <time dateTime={at} title={title}>
      {words}
    </time>
  );
}

export const Time = ({ at }: { at: string }) => <When at={at} title={wholeTime(at)} words={shortTime(at)} />;
export const Ago = ({ at }: { at: string }) => (
  <When at={at} title={wholeTime(at)} words={ago(at, now.value)} />
);
export const Since = ({ at }: { at: string }) => (
  <When at={at} title={`since ${wholeTime(at)}`} words={since(at, now.value)} />
);

export function Id({ id }: { id: string }) {
  return (
    <span class="mono" title={id}>
      {short(id)}
    </span>
  );
}

/** Names with their values, without those that have none; the third text is the whole of a shortened value. */
export function Facts({
  of,
  class: look,
}: {
  of: readonly (readonly [string, string, string?])[];
  class: string;
}) {
  return (
    <dl class={look}>
      {of
        .filter(([, value]) => value !== '')
        .map(([name, value, whole]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd title={whole}>{value}</dd>
          </div>
        ))}
    </dl>
  );
}

/** A line with a button that copies it. */
export function CopyLine({ text, label }: { text: string; label: string }) {
  const copy = () =>
    navigator.clipboard.writeText(text).then(
      () => say('Copied.'),
      () => say('The browser did not allow copying. Select the line and copy it by hand.', true),
    );
  return (
    <div class="copy-line">
      <input
        class="mono"
        type="text"
        readOnly
        value={text}
        aria-label={label}
        onFocus={(e) => e.currentTarget.select()}
      />
      <button type="button" onClick={copy}>
        <Icon name="copy" />
        Copy
      </button>
    </div>
  );
}

/** Stands for what is not read yet, and tells why it cannot be. */
export function Reading({ error, done, again }: { error: string | null; done: boolean; again: () => void }) {
  if (error) return <Trouble text={error} again={again} />;
  return done ? null : <Loading />;
}

/** Reads once, and again on request. */
export function useLoaded<T>(get: () => Promise<T>) {
  const [value, setValue] = useState<T | null>(null);
  const [error, setError] = useState<string | null>(null);
  const read = () =>
    get().then(
      (found) => {
        setValue(() => found);
        setError(null);
      },
      (thrown: unknown) => setError(sentence(thrown)),
    );
  useEffect(() => void read(), []);
  return { value, error, read };
}

/** Runs a form's action; tells whether it is running, and its error message. */
export function useAct() {
  const [error, setError] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const act = async (run: () => Promise<void>) => {
    setBusy(true);
    setError(null);
    try {
      await run();
    } catch (thrown) {
      setError(sentence(thrown));
    } finally {
      setBusy(false);
    }
  };
  return { error, busy, act, setError };
}
