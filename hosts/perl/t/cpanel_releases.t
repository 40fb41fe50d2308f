# What has changed with the releases of Cpanel::JSON::XS: some answers as of releases that need not be installed, and all cases as the installed one answers
# them, in the same process.
use strict;
use warnings;
no warnings qw(surrogate);
use lib 't/lib';
use Installed qw(load_installed);
use StockPair qw(outcome quoted);
use Test::More;

use Kumihimo::JSON::Cpanel ();

{
    package Empty;
    use overload '""' => sub { '' }, fallback => 1;
}
my $object = bless {}, 'Empty';
my $code = bless sub { }, 'Empty';
my $scalar = bless \(my $text = ''), 'Empty::Scalar';
my $half = "a\x{d800}b";

sub json { my ($class, @options) = @_; my $json = $class->new->allow_nonref; $json->$_ for @options; return $json }
my @cases;
# From which release on the installed one is followed.
sub case { my ($from, $name, $code) = @_; push @cases, [$from, $name, $code]; return }

for my $option (qw(allow_singlequote relaxed)) {
    for my $document (q(['a\'b']), q(["a\'b"]), q({'a\'b':1}), q({"a\'b":1}), q(['a\']), q(['\q']), q(["\'"])) {
        case(435, "$option: $document", sub { my ($class) = @_; return json($class, $option)->decode($document) });
    }
}
case(435, "a quote's escape without the option", sub { my ($class) = @_; return json($class)->decode(q(["a\'b"])) });
for my $options ([qw(convert_blessed)], [qw(convert_blessed allow_stringify)], [qw(allow_stringify)], [qw(allow_blessed convert_blessed)]) {
    for my $value ($object, $code, $scalar, \'', \undef) {
        my $kind = ref $value;
        case(435, "empty text of $kind; @$options", sub { my ($class) = @_; return json($class, @$options)->encode([$value]) });
    }
}
for my $options ([], ['utf8'], ['relaxed'], ['ascii'], ['latin1'], ['binary']) {
    case(435, "half a pair is read; @$options", sub { my ($class) = @_; return json($class, grep { $_ ne 'utf8' } @$options)->decode(qq(["$half"])) });
    case(435, "half a pair in a key is read; @$options", sub { my ($class) = @_; return json($class, grep { $_ ne 'utf8' } @$options)->decode(qq({"$half":1})) });
    # Without ascii or binary it wrote before that what is no UTF-8, or no text: json_differences.t.
    case((grep { /ascii|binary/ } @$options) ? 435 : 439, "half a pair is written; @$options", sub { my ($class) = @_; return json($class, @$options)->encode([$half]) });
}
my $as = sub { my ($release, $code) = @_; Kumihimo::JSON::Cpanel::_as_release($release, 1); return outcome(sub { $code->('Kumihimo::JSON::Cpanel') }) };

is $as->($_, sub { json($_[0], 'allow_singlequote')->decode(q(['\''])) }), $_ < 437 ? q(error: illegal backslash escape sequence in string, at character offset 2 (before "\\\\'']")) : q(["'"]), "a quote's escape, $_"
    for 435, 437, 440;
is $as->($_, sub { json($_[0], 'convert_blessed')->encode([$code]) }), quoted($_ < 437 ? '[null]' : '[""]') =~ s/^"/u"/r, "an empty text, $_" for 435, 437, 440;
is $as->($_, sub { json($_[0])->decode(qq(["$half"])) }),
    $_ < 439 ? q([u"a\x{d800}b"]) : q(error: malformed UTF-8 character in JSON string, at character offset 3 (before "\x{d800}b"]")), "half a pair, $_"
    for 435, 438, 439;
like $as->($_, sub { json($_[0], 'utf8')->encode([$half]) }), $_ < 439 ? qr/^"\[/ : qr/^error: malformed or illegal unicode character in string/, "half a pair is written, $_" for 435, 438, 439;
Kumihimo::JSON::Cpanel::_follow();

subtest 'as Cpanel::JSON::XS' => sub {
    plan skip_all => 'not proven: Cpanel::JSON::XS is not installed' unless load_installed('Cpanel::JSON::XS', '4.35');
    for my $case (@cases) {
        my ($from, $name, $code) = @$case;
        next if $from > int(Cpanel::JSON::XS->VERSION * 100 + 0.5);
        is outcome(sub { $code->('Kumihimo::JSON::Cpanel') }), outcome(sub { $code->('Cpanel::JSON::XS') }), $name;
    }
};

done_testing;
