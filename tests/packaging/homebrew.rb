# SPDX-License-Identifier: Apache-2.0
# Stands in for what a formula asks of Homebrew: `ruby homebrew.rb FORMULA FOLDER x86_64` installs into FOLDER from the
# archive that the formula names, whose sum must be right, and runs its test there.
require "digest"
require "fileutils"
require "pathname"
require "tmpdir"
require "uri"

MACHINE = ARGV.fetch(2)

class Pathname
  def install(*files)
    mkpath
    files.flatten.each { |file| FileUtils.cp_r(file, self) }
  end
end

class Formula
  class << self
    attr_reader :known

    %i[desc version license sha256 url depends_on].each do |word|
      define_method(word) { |value| (@known ||= {})[word] = value }
    end

    def on_linux
      yield
    end

    def on_intel
      yield if MACHINE == "x86_64"
    end

    def on_arm
      yield if MACHINE == "aarch64"
    end

    def test(&block)
      define_method(:run_test, &block)
    end
  end

  attr_reader :prefix, :testpath

  def initialize(prefix, testpath)
    @prefix = Pathname(prefix)
    @testpath = Pathname(testpath)
  end

  def bin = prefix/"bin"
  def man1 = prefix/"share/man/man1"
  def pkgshare = prefix/"share/profrender"
  def bash_completion = prefix/"etc/bash_completion.d"
  def zsh_completion = prefix/"share/zsh/site-functions"
  def fish_completion = prefix/"share/fish/vendor_completions.d"

  def system(*words)
    Kernel.system(*words.map(&:to_s)) || abort("failed: #{words.join(" ")}")
  end

  def shell_output(line)
    output = `#{line}`
    $CHILD_STATUS&.success? == false ? abort("failed: #{line}") : output
  end

  def assert_match(wanted, text)
    text.include?(wanted) || abort("#{wanted.inspect} is not in #{text[0, 200].inspect}")
  end
end

load ARGV.fetch(0)
known = Profrender.known
archive = URI.parse(known.fetch(:url)).path
abort("the sum is wrong") unless Digest::SHA256.file(archive).hexdigest == known.fetch(:sha256)
Dir.mktmpdir do |place|
  system("tar", "-xf", archive, "-C", place) || abort("no archive")
  formula = Profrender.new(ARGV.fetch(1), Dir.mktmpdir(nil, place))
  Dir.chdir(Dir.children(place).map { |name| File.join(place, name) }.find { |path| File.exist?("#{path}/bin") })
  formula.install
  Dir.chdir(formula.testpath)
  formula.run_test if MACHINE == RbConfig::CONFIG["host_cpu"]
end
puts known.fetch(:version)
