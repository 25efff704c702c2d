const NAMES = ['commit_plan', 'adr_reviewed', 'tests_planned', 'docs_planned'];

/** A config of session requirements, in the form that most projects have. */
export function configOf(names) {
  const rules = names.map((name) => `  ${name}:\n    enabled: true\n    scope: session\n`);
  return `version: "1.0"\ninherit: false\nrequirements:\n${rules.join('')}`;
}

/** A repository with these requirements, four where nobody says which. */
export function projectWith(stage, name, names = NAMES) {
  const place = stage.repository(name, {
    files: { '.claude/requirements.yaml': configOf(names), 'a.ts': 'a\n' },
  });
  return { ...place, names };
}

/** The row's session has met everything. */
export function satisfyAll({ place, session, stage }) {
  stage.product(place, 'req', 'satisfy', ...place.names, '--session', session);
}
