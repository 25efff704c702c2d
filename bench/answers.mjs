// What a fit answer is. A quick answer is worth nothing when it is the wrong one.

export function isSilent({ status, stdout, stderr }) {
  return status === 0 && stdout === '' && stderr === '';
}

export function denies({ status, stdout, stderr }) {
  return status === 0 && stderr === '' && stdout.includes('"permissionDecision":"deny"');
}

/** A permission that was asked for is refused. */
export function refuses({ status, stdout, stderr }) {
  return status === 0 && stderr === '' && stdout.includes('"behavior":"deny"');
}

/** The end of a turn is refused. */
export function holds({ status, stdout }) {
  return status === 0 && stdout.includes('"decision":"block"');
}

/** A loop refuses in the form that it has always had. */
export function loops({ status, stdout }) {
  return status === 2 && stdout.startsWith('{"decision": "block", "reason": "[ITERATION ');
}

/** The agent is told something and nothing is refused. */
export function briefs({ status, stdout, stderr }) {
  return status === 0 && stderr === '' && stdout.includes('"additionalContext"');
}

/** The gates' own command ends with this status. */
export function reports(wanted) {
  return ({ status, stdout }) => status === 0 && statusIn(stdout) === wanted;
}

function statusIn(text) {
  try {
    return JSON.parse(text).status;
  } catch {
    return undefined;
  }
}
