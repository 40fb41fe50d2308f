# frozen_string_literal: true

# Hand-picked values. Each is a named block that makes the value anew, since an encode may change it.
module Differential
  class Probe
    attr_reader :name, :make, :reopen, :core_ext, :kind, :group, :passes

    # kind:     :times take every precision too
    # reopen:   a block that changes classes of the program; the probe then runs in a forked child
    # core_ext: why the answer depends on ActiveSupport's as_json definitions of that version and not on the encoder alone
    # passes:   what stock's passes after one another show and one pass cannot: not compared, but for the vectors' list
    def initialize(name, kind: nil, reopen: nil, core_ext: nil, passes: nil, &make)
      @name = name
      @make = make
      @kind = kind
      @reopen = reopen
      @core_ext = core_ext
      @passes = passes
      @group = caller_locations.find { |at| at.path.include?("/probes/") }.then { |at| File.basename(at.path, ".rb") }
    end

    def settings
      kind == :times ? TIME_SETTINGS : SETTINGS
    end
  end

  # The list, and the words it is written in.
  module Probes
    ALL = []
    SEEN = {}

    module_function

    def add(name, **how, &make)
      raise "two probes named #{name}" if SEEN[name]

      SEEN[name] = true
      ALL << Probe.new(name, **how, &make)
    end

    # The classes a probe needs are made once, by the first block, in a module of their own.
    def with(name, classes, **how, &make)
      made = nil
      add(name, **how) do
        made ||= Module.new.tap { |m| m.class_exec(&classes) }
        made.instance_exec(&make)
      end
    end

    def reopened(name, change, **how, &make)
      add("reopened: #{name}", reopen: change, **how, &make)
    end
  end
end

Dir[File.join(__dir__, "probes", "*.rb")].sort.each { |file| require file }

# Zones are read now: a probe may reopen Object in ways that their reader does not survive.
ActiveSupport::TimeZone.all.each(&:now)
