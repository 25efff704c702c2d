import { type Cli, command, from, group } from '../command';

const moves = from(() => import('../flow/transitions'));

export function flow(): Cli {
  return group('flow', 'Workflows: phases in a fixed order, each with a gate at its end.', [
    command('start', 'Start a workflow on its own branch, and say what the project lacks for it.')
      .usage('WORKFLOW [options]')
      .argument('[WORKFLOW...]', 'the workflow, such as feature or fix')
      .option('--artifact <ID>', 'the name of the work, such as REQ-0001-login')
      .option('--branch <NAME>', 'the branch to use; created if it does not exist')
      .option('--description <TEXT>', 'what the work is about')
      .option('--atdd', 'acceptance tests first: skipped tests are reported')
      .option('--from <PHASE>', 'the phase to start with, if the config allows it')
      .list('--skip <PHASE>', 'a phase to skip, if the config allows it; repeatable')
      // The project's workflows define flags that skip a phase.
      .allowUnknownOption()
      .addHelpText('after', '\nA workflow can have flags that skip a phase: --no-scan, --no-tracing.')
      .runs(async () => (await import('../flow/start')).start),
    command('begin', 'Begin the current phase, and show what its gate needs.').runs(moves('begin')),
    group('record', 'Record evidence that only the agent has.', [
      command('constitution', 'Record which articles of the constitution the phase was checked against.')
        .option('--articles <I,II,…>', 'the articles that were checked')
        .runs(moves('constitution')),
      command('elicitation', "Record the user's last choice, after they have answered.")
        .choice('--final <CHOICE>', 'the choice', ['save', 'continue', 'adjust', 'refine', 'exit'])
        .runs(moves('elicitation')),
    ]),
    command('advance', 'Move on to the next phase, or say what is missing and how to get it.').runs(
      moves('advance'),
    ),
    command('redo', 'Do a phase again; evidence of later phases is kept.')
      .usage('[PHASE] [options]')
      .argument('[PHASE...]', 'the phase; without it, the current one')
      .runs(moves('redo')),
    command('rollback', 'Go back to a phase; it and all later phases start over.')
      .usage('PHASE [options]')
      .argument('[PHASE...]', 'the phase')
      .runs(moves('rollback')),
    command('suspend', 'Suspend the rules of the workflow until it is resumed. For people only.').runs(
      moves('suspend'),
    ),
    command('resume', 'Continue a suspended workflow.').runs(moves('resume')),
    command('cancel', 'End an unfinished workflow. For people only.')
      .option('-r, --reason <TEXT>', 'why; kept in the history')
      .runs(moves('cancel')),
    command('approve', 'Approve the gate of the current phase as it stands. For people only.')
      .usage('GATE [options]')
      .argument('[GATE...]', 'the gate or its phase, such as GATE-06')
      .runs(moves('approve')),
    command('status', 'Show the phases, what the current gate needs, and what the project lacks.').runs(
      async () => (await import('../flow/flow')).status,
    ),
  ]);
}
