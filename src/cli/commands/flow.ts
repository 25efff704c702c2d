import { type Cli, command, group } from '../command';

const moves = () => import('../flow/moves');

/** `holdpoint flow`. */
export function flow(): Cli {
  return group('flow', 'Workflows: phases in a fixed order, each with a gate at its end.', [
    command('start', 'Starts a workflow on its own branch, and says what the project lacks for it.')
      .usage('WORKFLOW [options]')
      .argument('[WORKFLOW...]', 'the workflow, such as feature or fix')
      .option('--artifact <ID>', 'the name of the work, such as REQ-0001-login')
      .option('--branch <NAME>', 'the branch to use; created if it does not exist')
      .option('--description <TEXT>', 'what the work is about')
      .option('--atdd', 'acceptance tests first: skipped tests are reported')
      .option('--from <PHASE>', 'the phase to start with, if the config allows it')
      .list('--skip <PHASE>', 'a phase to skip, if the config allows it; can be repeated')
      .json()
      // Which flags skip a phase is up to the workflows of the project.
      .allowUnknownOption()
      .addHelpText('after', '\nA workflow can have flags that skip a phase: --no-scan, --no-tracing.')
      .addHelpText('after', "\nExample:\n  holdpoint flow start fix --description 'Login fails'")
      .runs(async () => (await import('../flow/start')).start),
    command('begin', 'Begins the current phase, and shows what its gate needs.')
      .json()
      .addHelpText('after', '\nExample:\n  holdpoint flow begin')
      .runs(async () => (await moves()).begin),
    group('record', 'Records evidence that only the agent has.', [
      command('constitution', 'Records which articles of the constitution the phase was checked against.')
        .option('--articles <I,II,…>', 'the articles that were checked')
        .json()
        .addHelpText('after', '\nExample:\n  holdpoint flow record constitution --articles I,IV')
        .runs(async () => (await moves()).constitution),
      command('elicitation', "Records the user's last choice after they have answered.")
        .choice('--final <CHOICE>', 'the choice', ['save', 'continue', 'adjust', 'refine', 'exit'])
        .json()
        .addHelpText('after', '\nExample:\n  holdpoint flow record elicitation --final save')
        .runs(async () => (await moves()).elicitation),
    ]),
    command('advance', 'Moves on to the next phase, or says what is missing and how to get it.')
      .json()
      .addHelpText('after', '\nExample:\n  holdpoint flow advance')
      .runs(async () => (await moves()).advance),
    command('redo', 'Starts a phase over; evidence of later phases is kept.')
      .usage('[PHASE] [options]')
      .argument('[PHASE...]', 'the phase (default: the current one)')
      .json()
      .addHelpText('after', '\nExample:\n  holdpoint flow redo 04-design')
      .runs(async () => (await moves()).redo),
    command('rollback', 'Goes back to a phase; it and all later phases start over.')
      .usage('PHASE [options]')
      .argument('[PHASE...]', 'the phase')
      .json()
      .addHelpText('after', '\nExample:\n  holdpoint flow rollback 03-architecture')
      .runs(async () => (await moves()).rollback),
    command('suspend', 'Switches the rules of the workflow off until it is resumed. A person only.')
      .json()
      .addHelpText('after', '\nExample:\n  holdpoint flow suspend')
      .runs(async () => (await moves()).suspend),
    command('resume', 'Continues a suspended workflow.')
      .json()
      .addHelpText('after', '\nExample:\n  holdpoint flow resume')
      .runs(async () => (await moves()).resume),
    command('cancel', 'Ends an unfinished workflow. A person only.')
      .option('-r, --reason <TEXT>', 'why; kept in the history')
      .json()
      .addHelpText('after', "\nExample:\n  holdpoint flow cancel --reason 'No longer needed'")
      .runs(async () => (await moves()).cancel),
    command('approve', 'Approves the gate of the current phase as it stands. A person only.')
      .usage('GATE [options]')
      .argument('[GATE...]', 'the gate or its phase, such as GATE-06')
      .json()
      .addHelpText('after', '\nExample:\n  holdpoint flow approve GATE-06')
      .runs(async () => (await moves()).approve),
    command('status', 'Shows the phases, what the current gate needs, and what the project lacks.')
      .json()
      .addHelpText('after', '\nExample:\n  holdpoint flow status')
      .runs(async () => (await import('../flow/flow')).status),
  ]);
}
