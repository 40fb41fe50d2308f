# frozen_string_literal: true

module Kumihimo
  VERSION = "0.1.0"
end
