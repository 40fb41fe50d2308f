# frozen_string_literal: true

require "json"
require "kumihimo/version"
require "kumihimo/kumihimo"
require "kumihimo/any_format"
require "kumihimo/generate"
require "kumihimo/coder"
require "kumihimo/partial"
require "kumihimo/lazy"
require "kumihimo/load"
require "kumihimo/stream"
require "kumihimo/message_pack"
