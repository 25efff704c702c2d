import { type Cli, command, group } from '../command';

const moves = () => import('../flow/moves');

/** `holdpoint flow`. */
export function flow(): Cli {
  return group(
    'flow',
    'Workflows: phases in their order and the gate of each: start, begin, advance, status.',
    [
      command('start', 'Starts a workflow, on a branch of its own.')
        .usage('WORKFLOW [options]')
        .argument('[WORKFLOW...]', 'the workflow')
        .option('--artifact <ID>', 'what the work is filed under, such as REQ-0001-login')
        .option('--branch <NAME>', 'its branch; created where there is none')
        .option('--description <TEXT>', 'what the work is about')
        .option('--atdd', 'begins with acceptance tests')
        .option('--from <PHASE>', 'begins with this phase, where the config allows it')
        .list('--skip <PHASE>', 'leaves out this phase, where the config allows it; may be given again')
        .json()
        // Which flags leave out a phase is for the workflows of the project to say.
        .allowUnknownOption()
        .addHelpText('after', '\nA workflow may have flags that leave out a phase: --no-scan, --no-tracing.')
        .runs(async () => (await import('../flow/start')).start),
      command('begin', 'Begins the work on the current phase.')
        .json()
        .runs(async () => (await moves()).begin),
      group('record', 'Records evidence that only the agent can give: constitution, elicitation.', [
        command('constitution', 'The phase was checked against articles of the constitution.')
          .option('--articles <I,II,…>', 'the articles that were checked')
          .json()
          .runs(async () => (await moves()).constitution),
        command('elicitation', 'The person who was asked has made their last choice.')
          .choice('--final <CHOICE>', 'the choice', ['save', 'continue', 'adjust', 'refine', 'exit'])
          .json()
          .runs(async () => (await moves()).elicitation),
      ]),
      command('advance', 'Goes on to the next phase, or says what is missing and how to get it.')
        .json()
        .runs(async () => (await moves()).advance),
      command('redo', 'Does a phase again; what later ones have shown is kept.')
        .usage('[PHASE] [options]')
        .argument('[PHASE...]', 'the phase; without it, the current one')
        .json()
        .runs(async () => (await moves()).redo),
      command('rollback', 'Goes back to a phase; it and all after it are to be done again.')
        .usage('PHASE [options]')
        .argument('[PHASE...]', 'the phase')
        .json()
        .runs(async () => (await moves()).rollback),
      command('suspend', 'Lets the rules rest, until it is resumed. A person only.')
        .json()
        .runs(async () => (await moves()).suspend),
      command('resume', 'Goes on with a suspended workflow.')
        .json()
        .runs(async () => (await moves()).resume),
      command('cancel', 'Ends a workflow before it is finished, with a reason. A person only.')
        .option('-r, --reason <TEXT>', 'why; it is kept in the history')
        .json()
        .runs(async () => (await moves()).cancel),
      command('approve', 'Opens the gate of the current phase. A person only.')
        .usage('GATE [options]')
        .argument('[GATE...]', 'the gate, or its phase')
        .json()
        .runs(async () => (await moves()).approve),
      command('status', 'Shows the phases, and what the current one still lacks.')
        .json()
        .runs(async () => (await import('../flow/flow')).status),
    ],
  );
}
