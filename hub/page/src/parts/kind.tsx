import { Icon, type IconName } from './icon';

interface Look {
  readonly word: string;
  readonly tone: 'held' | 'deny' | 'pass' | 'quiet';
  readonly icon: IconName;
}

const LOOKS: Readonly<Record<string, Look>> = {
  deny: { word: 'Held', tone: 'deny', icon: 'deny' },
  hold: { word: 'Held', tone: 'held', icon: 'held' },
  ask: { word: 'Asked', tone: 'held', icon: 'ask' },
  advise: { word: 'Advised', tone: 'quiet', icon: 'note' },
  nothing: { word: 'Passed', tone: 'pass', icon: 'pass' },
  allow: { word: 'Passed', tone: 'pass', icon: 'pass' },
  passed: { word: 'Passed', tone: 'pass', icon: 'pass' },
  pass: { word: 'Passed', tone: 'pass', icon: 'pass' },
  cached: { word: 'Passed before', tone: 'pass', icon: 'pass' },
  passed_with_warnings: { word: 'Passed, with warnings', tone: 'pass', icon: 'pass' },
  failed: { word: 'Failed', tone: 'deny', icon: 'deny' },
  fail: { word: 'Failed', tone: 'deny', icon: 'deny' },
  error: { word: 'Error', tone: 'held', icon: 'note' },
};

/** How to show the result of a decision, a run or a check: by word and shape, and only then by colour. */
export function lookOf(kind: string): Look {
  const words = kind.replaceAll('_', ' ');
  return (
    LOOKS[kind] ?? { word: words.charAt(0).toUpperCase() + words.slice(1), tone: 'quiet', icon: 'other' }
  );
}

/** What people and commands did is no call that passed. */
export function kindOf({ kind, host }: { readonly kind: string; readonly host: string }): string {
  return kind === 'nothing' && (host === 'hub' || host === 'command line') ? 'changed' : kind;
}

export function Kind({ kind }: { kind: string }) {
  const { word, tone, icon } = lookOf(kind);
  return (
    <span class={`kind ${tone}`}>
      <Icon name={icon} />
      {word}
    </span>
  );
}
