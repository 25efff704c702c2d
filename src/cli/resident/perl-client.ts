/**
 * A client in Perl, without any module, since loading one takes longer than all the rest. It is called with the
 * socket, how many seconds to wait, what sources the launch file, the header's lines and the hook's arguments. What
 * is not answered whole goes back to the launch file, with the same bytes on standard input and by `exec`, so that
 * the host stays the parent.
 */
export const PERL_CLIENT = String.raw`
$SIG{PIPE} = "IGNORE";
my $late = 0;
$SIG{ALRM} = sub { $late = 1; alarm 1 };
binmode $_ for STDIN, STDOUT, STDERR;
my ($socket, $patience, $launch, $header, @args) = @ARGV;
my ($event, $reply) = ("", "");
1 while select(my $ready = "\1", undef, undef, undef) && sysread STDIN, $event, 65536, length $event;
alarm $patience;
if (socket(SERVER, 1, 1, 0)
  && connect(SERVER, pack $^O =~ /darwin|bsd/ ? "xCa104" : "Sa108", 1, $socket)) {
  my ($request, $sent) = ("$header\n$event", 0);
  while (!$late && $sent < length $request) {
    $sent += syswrite(SERVER, $request, 65536, $sent) || last;
  }
  shutdown SERVER, 1;
  1 while !$late && sysread SERVER, $reply, 65536, length $reply;
}
$SIG{ALRM} = sub { };
alarm 0;
if ($reply =~ /\AHP1 ([02]) (\S+)\n(.*?)\2(.*)\2\z/s) {
  my ($code, $out) = ($1, $4);
  print STDERR $3;
  print STDOUT $out;
  exit $code;
}
delete $ENV{PERL_BADLANG};
$ENV{HOLDPOINT_ASKED} = $reply eq "alone\n" ? "alone" : "silent";
pipe my $read, my $write;
if (length $event <= 4096) {
  syswrite $write, $event;
} elsif (!fork) {
  for (my $sent = 0; $sent < length $event;) {
    $sent += syswrite($write, $event, 65536, $sent) || last;
  }
  exit;
}
close $write;
open STDIN, "<&", $read;
exec "/bin/sh", "-c", $launch, "sh", @args;
print STDERR "holdpoint: /bin/sh cannot be started, so nothing is checked.\n";
exit 1;
`.trim();
