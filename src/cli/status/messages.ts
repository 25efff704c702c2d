import type { Finding } from '../../hosts/setup';

/** Why something does not hold here and what to do about it; in a word or two for who only glances. */
export interface Reason {
  readonly text: string;
  readonly brief: string;
}

const UNSET = 'unset it where the agent is started';

export const DISABLED: Reason = {
  text: `HOLDPOINT_DISABLE is set in this environment; ${UNSET}`,
  brief: 'HOLDPOINT_DISABLE is set',
};

export const NOTHING_CONFIGURED: Reason = {
  text: 'nothing is configured here',
  brief: 'nothing is configured here',
};

export function unread(place: string): Reason {
  return { text: `the config cannot be read: ${place}; mend it there`, brief: 'config unreadable' };
}

/** `more`: how many others there are. */
export function mistaken(what: string, place: string, more: number): Reason {
  const others = more === 0 ? '' : ` (and ${more} more)`;
  return {
    text: `${what} is switched off by a mistake in the config${others}; mend it at ${place}`,
    brief: 'config mistake',
  };
}

export function byVariable(guard: string, variable: string): Reason {
  return {
    text: `${guard} switched off by ${variable} in this environment; ${UNSET}`,
    brief: `${guard} off by ${variable}`,
  };
}

export const REQUIREMENTS_DISABLED: Reason = {
  text: 'requirements are switched off by `enabled: false` in the config; `req enable` switches them on',
  brief: 'requirements disabled',
};

export const NO_REQUIREMENT: Reason = {
  text: 'no requirement is enabled; `req enable NAME` enables one',
  brief: 'no requirement enabled',
};

export const GLOBAL_ONLY: Reason = {
  text: 'only the global config names requirements, which does not hold here; `enforce_everywhere: true` there or `req init` here changes that',
  brief: 'requirements only in the global config',
};

export const GATES_AT_REST: Reason = {
  text: 'no gates at the end of turns, by `stop_hook.enabled`; `true` there changes that',
  brief: 'gates disabled',
};

export const GATES_MISTAKEN: Reason = {
  text: 'gates hold nothing while there is a mistake in their config; `holdpoint gates validate` shows it',
  brief: 'gates: config mistake',
};

export const NO_GATE: Reason = {
  text: 'there is no gate; `holdpoint gates init` or a check in the config changes that',
  brief: 'no gate',
};

export const NO_WORKFLOW: Reason = {
  text: 'no workflow is under way; `holdpoint flow start` begins one',
  brief: 'no workflow under way',
};

export function loopAtRest(standing: string): Reason {
  return {
    text: `the loop is ${standing}; \`holdpoint loop resume\` goes on with it`,
    brief: `loop ${standing}`,
  };
}

export function paused(session: string): Reason {
  return {
    text: `requirements for session ${session}, by \`req pause\`; \`req resume\` ends it`,
    brief: 'requirements',
  };
}

export const SUSPENDED: Reason = {
  text: 'workflow, by `holdpoint flow suspend`; `holdpoint flow resume` ends it',
  brief: 'workflow',
};

export function degraded(events: number, code: string): Reason {
  return { text: `${events} event(s) went unchecked (${code}); see \`holdpoint log\``, brief: '' };
}

/** `trouble` is a sentence that says what to do. */
export function unwritable(trouble: string): Reason {
  return {
    text: `its state cannot be written. ${trouble.replace(/\.$/, '')}`,
    brief: 'state cannot be written',
  };
}

export const UNCALLED: Reason = {
  text: 'no host calls it; `holdpoint install` changes that',
  brief: 'no host calls it',
};

export const UNNAMED: Reason = {
  text: 'a live session calls it, but no settings of a host that are known here, so a new one may not; `holdpoint install` changes that',
  brief: 'in no settings',
};

export const UNHEARD: Reason = {
  text: 'this session has not called the hook; start it anew at the root of the project',
  brief: 'this session has not called the hook',
};

export function incomplete(file: string, missing: readonly string[], install: string): Reason {
  const events = missing.map((path) => path.replace(/^hooks\./, '')).join(', ');
  return {
    text: `${file} does not call it everywhere; missing: ${events}; \`${install}\` puts it back`,
    brief: 'hooks incomplete',
  };
}

export function fileGone(file: string, install: string): Reason {
  return { text: `${file} is gone; \`${install}\` writes it anew`, brief: 'plugin file gone' };
}

export function programGone(file: string, program: string, install: string): Reason {
  return {
    text: `${file} starts ${program}, which is gone or cannot be run; \`${install}\` mends it`,
    brief: 'program gone',
  };
}

export function launchGone(file: string, install: string): Reason {
  return {
    text: `${file} is gone or cannot be read, so the hooks start nothing; \`${install}\` writes it anew`,
    brief: 'launch file gone',
  };
}

export function launchDamaged(file: string, install: string): Reason {
  return {
    text: `${file} is damaged, so the hooks start nothing; \`${install}\` writes it anew`,
    brief: 'launch file damaged',
  };
}

export function hookGone(file: string, hook: string, install: string): Reason {
  return {
    text: `${file} leads to ${hook}, which is gone, as is its copy; \`${install}\` mends it`,
    brief: 'program gone',
  };
}

/** `trouble` is a sentence without its end. */
export function unreadable(trouble: string, file: string): Reason {
  return { text: `${trouble}; mend ${file}`, brief: 'settings unreadable' };
}

/** What a host's own settings do to our entries; the words are the host's. */
export function found({ id, text, fix }: Finding): Reason {
  return {
    text: fix === undefined ? text : `${text.replace(/\.$/, '')}. ${fix.replace(/\.$/, '')}`,
    brief: id.replaceAll('-', ' '),
  };
}
