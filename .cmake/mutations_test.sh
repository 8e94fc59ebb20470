#!/usr/bin/env bash
# Holds .cmake/mutations.md to the files of .cmake/mutations: one row each, of the file that it breaks; the text that it breaks
# stands there once; the test that caught it is still in the sources; the head counts the rows.
#
#   .cmake/mutations_test.sh                        says what does not hold
#   .cmake/mutations_test.sh --write [NAME TEST]    writes the table: head, a row for each file, and that TEST caught NAME
set -euo pipefail
cd "$(dirname "$0")/.."
exec perl -Mstrict -Mwarnings -e '
my ($write, $name, $test) = @ARGV;
my $record = ".cmake/mutations.md";
my @wrong;
sub slurp { local $/; open my $f, "<", $_[0] or return; my $text = <$f>; $text }
sub literal { my $t = shift; $t =~ s/\\(n|\\)/$1 eq "n" ? "\n" : "\\"/ge; $t }

my %mutation;  # name -> the file that it breaks
my %source;
for my $path (glob ".cmake/mutations/*") {
    my ($m) = $path =~ m{([^/]+)$};
    my %field = map { /^(file|from|to|run) (.*)$/ ? ($1, $2) : () } split /\n/, slurp($path);
    for (qw(file from to run)) { push @wrong, "$path: no line \"$_ ...\"" unless defined $field{$_} }
    next unless defined $field{file} && defined $field{from};
    $mutation{$m} = $field{file};
    my $text = $source{$field{file}} //= slurp($field{file}) // "";
    my $n = () = $text =~ /\Q${\literal($field{from})}\E/g;
    push @wrong, "$path: its text stands $n times in $field{file}, not once" if $n != 1;
}

my $old = slurp($record) // "";
my %row;  # name -> what caught it
for (split /\n/, $old) {
    my ($m, $file, $by) = /^\| ([a-z0-9_]+) \| (\S+) \| (.*) \|$/ or next;
    next if $m eq "mutation";  # the names of the columns
    push @wrong, "$record: two rows of $m" if exists $row{$m};
    push @wrong, "$record: $m has no file in .cmake/mutations" unless $mutation{$m};
    push @wrong, "$record: $m breaks $mutation{$m}, not $file" if $mutation{$m} && $mutation{$m} ne $file;
    $row{$m} = $by;
}
if (defined $name) { die "no mutation \"$name\"\n" unless $mutation{$name}; $row{$name} = $test; }

my $pending = "not run yet";
my (%count, %tests, $table);
if (!$write) {
    for my $path (split /\n/, `find reference impls properties fuzz reports -name "*_test.[ch]pp"`) {
        my $text = slurp($path);
        $tests{"$1.$2"} = 1 while $text =~ /TEST(?:_F|_P)?\((\w+),\s*(\w+)\)/g;
        $tests{"$1.$2"} = 1 while $text =~ /TYPED_TEST(?:_P)?\((\w+),\s*(\w+)\)/g;
        $tests{"$1.$2"} = 1 while $text =~ /RC_GTEST_(?:FIXTURE_)?PROP\((\w+),\s*(\w+)/g;
    }
}
for my $m (sort keys %mutation) {
    push @wrong, "$record: no row of $m" unless exists $row{$m};
    my $by = $row{$m} // $pending;
    $table .= "| $m | $mutation{$m} | $by |\n";
    my $kind = $by eq $pending ? $pending : $by =~ /^(SURVIVED|STALE|NOT BUILT)/ ? "not caught" : "caught";
    ++$count{$kind};
    next if $write || $kind ne "caught";
    my ($path, $case) = $by =~ m{^([\w/]+)\.(\w+)};  # Prefix/Suite.Name/parameter, Suite/number of a type.Name
    my $suite = (grep { !/^\d+$/ } split m{/}, $path // "")[-1];
    push @wrong, "$record: $m: no test \"$by\" in the sources" unless $suite && $case && $tests{"$suite.$case"};
}
my $head = keys(%mutation) . " mutations: " . join(", ", map { $count{$_} ? "$count{$_} $_" : () } "caught", "not caught", $pending) . ".";
if ($write) {
    $old =~ s/^\d+ mutations: .*$/$head/m or die "$record: no line \"N mutations: ...\"\n";
    $old =~ s/(^\| mutation \| file \| caught by \|\n\|---\|---\|---\|\n)(?:\|.*\n)*/$1$table/m or die "$record: no table\n";
    open my $f, ">", "$record.new" or die "$record.new: $!\n";
    print $f $old;
    close $f or die "$record.new: $!\n";
    rename "$record.new", $record or die "$record: $!\n";
    exit;
}
push @wrong, "$record: its head should be \"$head\"" unless $old =~ /^\Q$head\E$/m;
print STDERR "$_\n" for @wrong;
print STDERR "`.cmake/mutations_test.sh --write` writes the rows and the head anew\n" if grep /mutations\.md/, @wrong;
exit(@wrong ? 1 : 0);
' -- "$@"
