import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { CopyLine, Problem, Reading, useAct, useLoaded } from '../../parts/bits';
import { dialog } from '../../state';
import type { Invite, List } from '../../types';

interface Props<T> {
  readonly title: string;
  readonly one: string;
  readonly get: () => Promise<List<T>>;
  readonly none?: string;
  readonly about: (member: T) => ComponentChildren;
  /** How to end a membership; `null` for one that has ended. */
  readonly end: (member: T) => { readonly act: string; readonly text: string; run(): Promise<void> } | null;
  readonly invite: (name?: string) => Promise<Invite>;
  readonly invited: string;
  /** What is to be handed on. */
  readonly line: (invite: Invite) => string;
  /** More fields of the form. */
  readonly children?: ComponentChildren;
}

/** Those who belong to the hub, and a form to invite another one. */
export function Members<T extends { readonly id: string; readonly name: string }>(props: Props<T>) {
  const { title, one, get, none, about, end, invite, invited, line, children } = props;
  const { value, error, read } = useLoaded(get);
  const form = useAct();
  const [name, setName] = useState('');
  const [made, setMade] = useState<Invite | null>(null);
  const submit = (event: Event) => {
    event.preventDefault();
    void form.act(async () => {
      setMade(await invite(name.trim() || undefined));
      setName('');
    });
  };
  const entry = (member: T) => {
    const ending = end(member);
    const label = `${ending?.act} ${member.name}`;
    const ask = () => {
      if (ending === null) return;
      const run = () => ending.run().then(read);
      dialog.value = { kind: 'confirm', title: `${label}?`, ...ending, run };
    };
    return (
      <li class="entry" key={member.id}>
        <span class="entry-name">{member.name}</span>
        <span class="quiet-text">{about(member)}</span>
        {ending && (
          <button type="button" class="link" aria-label={label} onClick={ask}>
            {ending.act}
          </button>
        )}
      </li>
    );
  };
  return (
    <section class="panel" aria-labelledby={`${one}-title`}>
      <h2 id={`${one}-title`}>{title}</h2>
      <Reading error={error} done={value !== null} again={read} />
      {value?.items.length === 0 && <p>{none}</p>}
      {value && value.items.length > 0 && <ul class="entries">{value.items.map(entry)}</ul>}
      <form class="flow line-form" onSubmit={submit}>
        <label for={`${one}-name`}>Name (optional)</label>
        <input
          id={`${one}-name`}
          value={name}
          maxLength={64}
          onInput={(event) => setName(event.currentTarget.value)}
        />
        {children}
        <button type="submit" disabled={form.busy}>
          Invite a {one}
        </button>
      </form>
      <Problem text={form.error} />
      {made && (
        <div role="status">
          <p>{invited} It works once, within 24 hours.</p>
          <CopyLine label={`What invites the ${one}`} text={line(made)} />
        </div>
      )}
    </section>
  );
}
