# frozen_string_literal: true

require "mkmf"
$CFLAGS << " -O3"
create_makefile("floor")
