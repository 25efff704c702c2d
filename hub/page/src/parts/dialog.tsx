import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { ApiError, api } from '../api';
import { scopeWords, short } from '../format';
import { KEYS } from '../keys';
import { loadLists } from '../live';
import { dialog, say, waiting } from '../state';
import type { Waiting } from '../types';
import { Problem, useAct } from './bits';

function close(): void {
  dialog.value = null;
}

function Frame({ title, children }: { title: string; children: ComponentChildren }) {
  const frame = useRef<HTMLDialogElement>(null);
  // A layout effect, so that an Enter that follows quickly already goes to the dialog.
  useLayoutEffect(() => {
    const shown = frame.current;
    const before = document.activeElement;
    shown?.showModal();
    shown?.querySelector<HTMLElement>('[data-first]')?.focus();
    return () => {
      shown?.close();
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  return (
    // Enter held down to open the dialog must not also confirm it.
    <dialog
      ref={frame}
      aria-labelledby="dialog-title"
      onCancel={(event) => {
        event.preventDefault();
        close();
      }}
      onKeyDown={(event) => {
        if (event.key === 'Enter' && event.repeat) event.preventDefault();
      }}
    >
      <h2 id="dialog-title">{title}</h2>
      {children}
    </dialog>
  );
}

/** Moves the focus to the next waiting request. */
function focusNext(): void {
  const next = document.querySelector<HTMLElement>('main [data-item]') ?? document.querySelector('main');
  next?.focus();
}

async function send(request: Waiting, answer: 'approve' | 'reject', note?: string): Promise<void> {
  try {
    await api.answer(request.id, answer, note);
  } catch (thrown) {
    if (!(thrown instanceof ApiError) || thrown.status !== 409) throw thrown;
    close();
    say(`${thrown.message} The list is up to date again.`, true);
    void loadLists();
    return;
  }
  waiting.value = (waiting.value ?? []).filter(({ id }) => id !== request.id);
  close();
  say(
    answer === 'approve'
      ? `Approved ${request.rule}. The agent’s next attempt passes.`
      : `Rejected ${request.rule}. The agent is told${note ? ', with your note' : ''}.`,
  );
  setTimeout(focusNext);
}

const whose = ({ session, project }: Waiting) =>
  session === '' ? project.name : `session ${short(session)}`;

function About({ request }: { request: Waiting }) {
  const { project, branch, machine, scope, ttl } = request;
  return (
    <p class="dialog-about">
      {project.name}
      {branch && (
        <>
          , branch <span class="mono">{branch}</span>
        </>
      )}
      , on {machine.name}. An approval counts <strong>{scopeWords(scope, ttl)}</strong>.
    </p>
  );
}

function Approve({ request }: { request: Waiting }) {
  const { error, busy, act } = useAct();
  // The second click of a double click must not confirm.
  const confirm = (event: MouseEvent) => {
    if (event.detail < 2) void act(() => send(request, 'approve'));
  };
  return (
    <Frame title={`Approve ${request.rule} for ${whose(request)}?`}>
      <About request={request} />
      <Problem text={error} />
      <div class="dialog-buttons">
        <button type="button" onClick={close}>
          Cancel <kbd>Esc</kbd>
        </button>
        <button type="button" class="primary" data-first disabled={busy} onClick={confirm}>
          Approve <kbd>Enter</kbd>
        </button>
      </div>
      <p class="hint">Enter to confirm.</p>
    </Frame>
  );
}

function Reject({ request }: { request: Waiting }) {
  const { error, busy, act } = useAct();
  const [note, setNote] = useState('');
  const submit = () => act(() => send(request, 'reject', note.trim() === '' ? undefined : note.trim()));
  return (
    <Frame title={`Reject ${request.rule} for ${whose(request)}?`}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) void submit();
        }}
      >
        <label for="note">Note for the agent</label>
        <textarea
          id="note"
          data-first
          rows={4}
          maxLength={2000}
          value={note}
          placeholder="What should it do instead?"
          onInput={(event) => setNote(event.currentTarget.value)}
        />
        <Problem text={error} />
        <div class="dialog-buttons">
          <button type="button" onClick={close}>
            Cancel <kbd>Esc</kbd>
          </button>
          <button type="submit" class="danger" disabled={busy}>
            Reject <kbd>Ctrl Enter</kbd>
          </button>
        </div>
      </form>
    </Frame>
  );
}

function Confirm({
  title,
  text,
  act: word,
  run,
}: {
  title: string;
  text: string;
  act: string;
  run: () => Promise<void>;
}) {
  const { error, busy, act } = useAct();
  return (
    <Frame title={title}>
      <p>{text}</p>
      <Problem text={error} />
      <div class="dialog-buttons">
        <button type="button" data-first onClick={close}>
          Cancel
        </button>
        <button type="button" class="danger" disabled={busy} onClick={() => act(() => run().then(close))}>
          {word}
        </button>
      </div>
    </Frame>
  );
}

function Help() {
  return (
    <Frame title="Keys">
      <dl class="list">
        {KEYS.map(([keys, does]) => (
          <div key={keys}>
            <dt>
              <kbd>{keys}</kbd>
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
      <div class="dialog-buttons">
        <button type="button" data-first onClick={close}>
          Close
        </button>
      </div>
    </Frame>
  );
}

export function OpenDialog() {
  const open = dialog.value;
  if (open === null) return null;
  if (open.kind === 'help') return <Help />;
  if (open.kind === 'confirm') return <Confirm {...open} />;
  return open.kind === 'approve' ? (
    <Approve key={open.request.id} request={open.request} />
  ) : (
    <Reject key={open.request.id} request={open.request} />
  );
}
