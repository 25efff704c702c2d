import { effect } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { api, sentence } from './api';
import { since } from './format';
import { startLive, stopLive } from './live';
import { Trouble } from './parts/bits';
import { OpenDialog } from './parts/dialog';
import { Icon, type IconName, Logo } from './parts/icon';
import {
  announcement,
  dialog,
  go,
  link,
  loadError,
  me,
  now,
  setupCode,
  toast,
  type View,
  view,
  waiting,
} from './state';
import { THEMES, theme } from './theme';
import { Decisions } from './views/decisions';
import { Gates } from './views/gates';
import { Rules } from './views/rules';
import { Sessions } from './views/sessions';
import { Settings } from './views/settings';
import { Setup } from './views/setup';
import { SignIn } from './views/sign-in';
import { WaitingView } from './views/waiting';

const TABS: readonly (readonly [View, string, IconName])[] = [
  ['waiting', 'Waiting', 'waiting'],
  ['sessions', 'Sessions', 'sessions'],
  ['decisions', 'Decisions', 'decisions'],
  ['rules', 'Rules', 'rules'],
  ['gates', 'Gates', 'gates'],
];

const SHOWN: Readonly<Record<View, () => preact.JSX.Element>> = {
  waiting: WaitingView,
  sessions: Sessions,
  decisions: Decisions,
  rules: Rules,
  gates: Gates,
  settings: Settings,
};

async function whoAmI(): Promise<void> {
  try {
    me.value = await api.me();
    loadError.value = null;
  } catch (thrown) {
    if (thrown instanceof Error && 'status' in thrown && thrown.status === 401) me.value = null;
    else loadError.value = sentence(thrown);
  }
}

/** After a sign-in: loads who it is and shows the lists. */
export async function enter(): Promise<void> {
  await whoAmI();
  if (setupCode.value !== undefined) go('waiting');
}

effect(() => {
  if (me.value) startLive();
  else stopLive();
});

function Connection() {
  const { state, since: at } = link.value;
  const word = state === 'live' ? 'Live' : state === 'connecting' ? 'Connecting' : 'Reconnecting';
  return (
    <span class={`connection ${state}`} role="status" title={`since ${new Date(at).toLocaleTimeString()}`}>
      <span class="dot" />
      <span class="word">{word}</span>
      {state === 'lost' && <span class="since">for {since(at, now.value)}</span>}
    </span>
  );
}

const THEME_ICONS = { system: 'auto', light: 'sun', dark: 'moon' } as const;

export function ThemeSwitch() {
  const current = theme.value;
  const following = THEMES[(THEMES.indexOf(current) + 1) % THEMES.length] ?? 'system';
  const label = `Colours: ${current}. Switch to ${following}.`;
  return (
    <button
      type="button"
      class="plain"
      aria-label={label}
      title={label}
      onClick={() => {
        theme.value = following;
      }}
    >
      <Icon name={THEME_ICONS[current]} />
    </button>
  );
}

function Tab({ name, label, icon }: { name: View; label: string; icon: IconName }) {
  const count = name === 'waiting' ? (waiting.value?.length ?? 0) : 0;
  return (
    <a class="tab" href={`#${name}`} aria-current={view.value === name ? 'page' : undefined}>
      <Icon name={icon} />
      <span>{label}</span>
      {count > 0 && (
        <span class="count">
          {count}
          <span class="unseen"> waiting</span>
        </span>
      )}
    </a>
  );
}

function Shell() {
  const Shown = SHOWN[view.value];
  const helpLabel = 'Help with the keys';
  return (
    <div class="app">
      <button type="button" class="skip" onClick={() => document.querySelector('main')?.focus()}>
        Skip to the content
      </button>
      <header class="top">
        <span class="brand">
          <Logo />
          <span>Holdpoint</span>
        </span>
        <nav class="tabs" aria-label="Views">
          {TABS.map(([name, label, icon]) => (
            <Tab key={name} name={name} label={label} icon={icon} />
          ))}
        </nav>
        <div class="tools">
          <Connection />
          <button
            type="button"
            class="plain wide-only"
            aria-label={helpLabel}
            title={`${helpLabel} (?)`}
            onClick={() => {
              dialog.value = { kind: 'help' };
            }}
          >
            <Icon name="ask" />
          </button>
          <ThemeSwitch />
          <a
            class="plain"
            href="#settings"
            aria-label="Settings"
            title="Settings"
            aria-current={view.value === 'settings' ? 'page' : undefined}
          >
            <Icon name="settings" />
          </a>
        </div>
      </header>
      <main key={view.value} id="main" tabIndex={-1} class={view.value}>
        {loadError.value && <Trouble text={loadError.value} again={() => location.reload()} />}
        <Shown />
      </main>
    </div>
  );
}

function Body() {
  if (setupCode.value !== undefined) return <Setup code={setupCode.value} />;
  if (me.value === undefined)
    return loadError.value ? <Trouble text={loadError.value} again={whoAmI} /> : null;
  return me.value === null ? <SignIn /> : <Shell />;
}

export function App() {
  useEffect(() => {
    void whoAmI();
  }, []);
  return (
    <>
      <Body />
      <OpenDialog />
      <div class="toasts" role="status">
        {toast.value && <div class={toast.value.bad ? 'toast bad' : 'toast'}>{toast.value.text}</div>}
      </div>
      <div class="unseen" aria-live="polite">
        {announcement.value}
      </div>
    </>
  );
}
