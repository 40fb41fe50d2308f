# frozen_string_literal: true

# Writes the Makefile of the extension. engine/ beside this file is the engine: its sources in a gem, a link to them in the
# repository, where they are found without the link too (an archive or a checkout that keeps none).
require "mkmf"

here = __dir__
root = [here, File.expand_path("../../../..", here)].find { |at| File.exist?(File.join(at, "engine/core/sink.hpp")) }
abort "kumihimo: the engine's sources are missing beside #{here}" unless root

abort "kumihimo: a C++20 compiler is needed (g++ 10 or clang 12, or newer)" unless RbConfig::CONFIG["CXX"] && RbConfig::CONFIG["CXX"] != "false"

# --with-kumihimo-engine=ARCHIVE: an engine that is built already (the repository's `./dev` builds one for every host).
archive = with_config("kumihimo-engine")
# Two engine files may share a leaf name and mkmf knows leaf names only, so each is compiled through a file of one line.
wrappers = (archive ? [] : Dir.glob("engine/**/*.cpp", base: root).sort).map do |path|
  name = "#{path.delete_suffix(".cpp").tr("/", "_")}.cpp"
  line = "#include \"#{path}\"\n"
  File.write(name, line) unless File.exist?(name) && File.read(name) == line
  name
end
own = Dir.glob("*.cpp", base: here).reject { |name| name.start_with?("engine_") }.sort

$srcs = own + wrappers
$objs = $srcs.map { |name| "#{name.delete_suffix(".cpp")}.#{$OBJEXT}" }
$LOCAL_LIBS << " #{archive}" if archive
$VPATH << "$(srcdir)"
$INCFLAGS << " -I#{root} -I#{here}"
$CXXFLAGS = "#{$CXXFLAGS} -std=c++20 -O3 -fvisibility=hidden -fvisibility-inlines-hidden -Wall -Wextra -Wno-unused-parameter"
if enable_config("sanitizers", false)
  # Ruby leaves frames by a jump that AddressSanitizer does not see: marks left on the stack would be false reports.
  no_stack = RbConfig::CONFIG["CXX"].include?("clang") ? "-mllvm -asan-stack=0" : "--param asan-stack=0"
  $CXXFLAGS << " -g -O1 -fsanitize=address,undefined -fno-omit-frame-pointer #{no_stack}"
end
$LDFLAGS << " -fsanitize=address,undefined" if enable_config("sanitizers", false)
# Debug information would be nine tenths of the installed library; --enable-symbols keeps it.
$LDFLAGS << " -Wl,--strip-all" unless enable_config("symbols", false)

# Compression libraries are found when they are needed (engine/frame); older C libraries keep dlopen in libdl.
have_library("dl", "dlopen") unless have_func("dlopen")
have_func("rb_hash_new_capa") # Ruby 3.2
# Not public, and not exported by every Ruby: quicker ways to see that a method is still the one it was (methods.hpp), and that a
# Hash compares by identity. --disable-internals does without them, as those Rubies must.
if enable_config("internals", true)
  have_func("rb_callable_method_entry")
  have_func("rb_hash_compare_by_id_p")
end

# A new Makefile makes everything anew: what is left here may follow headers that are gone.
FileUtils.rm_f(Dir.glob("*.{o,d}"))
create_makefile("kumihimo/kumihimo")
# Objects follow the headers they were made from. RubyGems builds here, installs from here, and leaves what lies about for good:
# once the library is installed, what it was made of goes, and a second `make install` compiles all of it again.
File.write("Makefile", <<~MAKE)
  #{File.read("Makefile")}
  CXXFLAGS += -MMD -MP
  -include $(wildcard *.d)
  $(DLLIB): #{archive}
  install: tidy
  tidy: install-so
  \t-$(Q)$(RM) $(OBJS) $(OBJS:.#{$OBJEXT}=.d) $(DLLIB) #{wrappers.join(" ")}
  .PHONY: tidy
MAKE
