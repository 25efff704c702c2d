import { briefs, denies, holds, isSilent, refuses } from '../answers.mjs';
import { after, asked, bash, call, compaction, edit, end, prompt, start, stop } from '../events.mjs';
import { projectWith, satisfyAll } from './four-requirements.mjs';

const CONFIG = `version: "1.0"
inherit: false
requirements:
  plan:
    enabled: true
    scope: session
    satisfied_by_skill: planner
  review:
    enabled: true
    scope: single_use
    trigger_tools: [{ tool: Bash, command_pattern: "git\\\\s+commit" }]
`;

const four = (stage) => projectWith(stage, 'requirements');
const withPasses = (stage) => ({
  ...stage.repository('passes', { files: { '.claude/requirements.yaml': CONFIG } }),
  names: ['plan', 'review'],
});
const NOTES = 'inherit: false\nrequirements: { notes: { enabled: true, scope: session, stop_only: true } }\n';
const withNotes = (stage) => stage.repository('notes', { files: { '.claude/requirements.yaml': NOTES } });

const COMMIT = `git add -A && git commit -m "$(cat <<'EOF'\nfeat: a parser\n\nIt reads lines.\nEOF\n)"`;
const SKILL = call('Skill', { skill: 'planner', args: '' });

/** The row's session has made an edit, which sets its requirements off. */
function makeEdit({ place, session, stage }) {
  const document = { session_id: session, cwd: place.root, ...edit({ place, turn: 'first' }) };
  stage.run(place, [process.execPath, `${stage.dist}/hook.cjs`], JSON.stringify(document));
}

/** Requirements at every event that they have anything to say to. */
export const requirements = [
  { name: 'requirements: edit denied', place: four, event: edit, expects: denies },
  { name: 'requirements: edit allowed', place: four, before: satisfyAll, event: edit, expects: isSilent },
  { name: 'requirements: commit denied', place: withPasses, event: bash(COMMIT), expects: denies },
  {
    name: 'requirements: commit allowed',
    place: withPasses,
    before: satisfyAll,
    event: bash(COMMIT),
    expects: isSilent,
  },
  {
    name: 'requirements: other command',
    place: withPasses,
    event: bash('npm test 2>&1 | tail'),
    expects: isSilent,
  },
  {
    name: 'requirements: after a commit',
    place: withPasses,
    event: after(bash(COMMIT), { stdout: '', stderr: '' }),
    expects: isSilent,
  },
  {
    name: 'requirements: skill satisfies',
    place: withPasses,
    event: after(SKILL, 'done'),
    expects: isSilent,
  },
  { name: 'requirements: prompt', place: withPasses, event: prompt, expects: isSilent },
  { name: 'requirements: permission left', place: four, event: asked(bash('touch a.ts')), expects: isSilent },
  {
    name: 'requirements: permission refused',
    place: four,
    event: asked(bash('git push --force origin main')),
    expects: refuses,
  },
  { name: 'requirements: stop allowed', place: four, before: satisfyAll, event: stop, expects: isSilent },
  { name: 'requirements: stop held', place: withNotes, before: makeEdit, event: stop, expects: holds },
  { name: 'requirements: session starts', place: four, event: start, expects: briefs },
  { name: 'requirements: compaction', place: four, event: compaction, expects: isSilent },
  { name: 'requirements: session ends', place: four, event: end, expects: isSilent },
];
