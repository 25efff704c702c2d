import { describe, expect, it } from 'vitest';
import { personCommand } from '../../../src/guards/workflow/attempts';
import { commandLines } from '../../../src/shell';

const found = (command: string): string | undefined => personCommand(command, commandLines(command, '/r'));

describe("a line runs a person's command", () => {
  it.each<[string, string]>([
    ['holdpoint flow approve GATE-06', 'approve'],
    ['holdpoint flow suspend', 'suspend'],
    ['holdpoint flow cancel --reason "it is hard"', 'cancel'],
    ['holdpoint flow --yes approve', 'approve'],
    ['./node_modules/.bin/holdpoint flow approve', 'approve'],
    ['node /opt/x/dist/holdpoint.cjs flow approve', 'approve'],
    ['node --no-warnings dist/holdpoint.cjs flow approve', 'approve'],
    ['npx holdpoint flow cancel --reason x', 'cancel'],
    ['npx --yes holdpoint@0.1.0 flow approve', 'approve'],
    ['pnpm exec holdpoint flow approve', 'approve'],
    ['env -u CLAUDECODE holdpoint flow approve', 'approve'],
    ['env -i PATH="$PATH" HOME="$HOME" holdpoint flow approve', 'approve'],
    ['CLAUDECODE= holdpoint flow approve', 'approve'],
    ['unset CLAUDECODE AI_AGENT; holdpoint flow approve', 'approve'],
    ['cd sub && npm test && holdpoint flow suspend', 'suspend'],
    ['(unset CLAUDECODE && holdpoint flow approve) | cat', 'approve'],
    ['bash -c "holdpoint flow approve"', 'approve'],
    ["bash <<'E'\nholdpoint flow approve\nE", 'approve'],
    ['echo "$(holdpoint flow approve)"', 'approve'],
    ['echo "holdpoint flow approve" | env -u CLAUDECODE sh', 'approve'],
    ['V=approve; holdpoint flow $V', 'approve'],
    ['holdpoint flow app""rove', 'approve'],
    ['hold""point fl""ow appro\'\'ve', 'approve'],
    ['some-wrapper -h host holdpoint flow approve', 'approve'],
    ['some-wrapper --from holdpoint holdpoint flow approve', 'approve'],
    ['git bisect run holdpoint flow approve', 'approve'],
    ['holdpoint flow cancel --reason holdpoint', 'cancel'],
    ['holdpoint flow cancel --reason x -- --help', 'cancel'],
    ['find . -name a -exec holdpoint flow approve ";"', 'approve'],
  ])('%s', (command, verb) => {
    expect(found(command)).toBe(verb);
  });
});

describe('a line runs none', () => {
  it.each([
    'holdpoint flow status',
    'holdpoint flow advance',
    'holdpoint flow record constitution --articles I',
    'holdpoint flow approve --help',
    'holdpoint flow help approve',
    'holdpoint help flow approve',
    'echo holdpoint flow approve',
    'echo "ask a person: holdpoint flow approve"',
    'printf "%s\\n" holdpoint flow cancel',
    'grep -rn "holdpoint flow approve" docs',
    'rg holdpoint flow approve',
    'holdpoint flow cancel --reason x --help',
    'git commit -m "explain holdpoint flow approve"',
    "cat > docs/a.txt <<'E'\nholdpoint flow approve\nE",
    'npm test # then holdpoint flow approve',
    'npm run flow approve',
  ])('%s', (command) => {
    expect(found(command)).toBeUndefined();
  });
});
