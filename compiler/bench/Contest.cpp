//===- Contest.cpp - compares candidates ----------------------------------===//

#include "Contest.h"

#include "ColdCaches.h"
#include "DeviceRoofs.h"
#include "FirstError.h"
#include "KernelTimers.h"
#include "LaunchTimers.h"
#include "heddle/Verify.h"
#include "heddle/device.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/xxhash.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::bench;

namespace {

/// A compiled candidate. A candidate is the model with a choice of strategies.
struct CompiledCandidate {
  Row row;
  std::vector<std::unique_ptr<Session>> sessions; // one for each caller; empty if the code was not compiled or loaded
  std::shared_ptr<LaunchTimers> launches;         // counts the events of launches; null if calls are timed
};

/// One call of runContest.
class Contest {
public:
  Contest(const Model &model, const ContestOptions &options)
      : model(model), options(options), context(model.module.get()->getContext()), loc(model.module.get()->getLoc()) {}

  FailureOr<std::vector<Table>> run(ArrayRef<Occasion> occasions, bool &wrongUsage);

private:
  /// Compiles a candidate. If the option --tune added the candidate, and it does not compile or has the same code as an
  /// earlier candidate, adds it to `others` and returns nullopt.
  std::optional<CompiledCandidate> compileCandidate(const Candidate &candidate, std::vector<Ineligible> &others);
  /// Compiles the default again, with timers around its kernels.
  LogicalResult compileProfiled();
  /// Verifies and times all candidates on one occasion (with one set of sizes and inputs).
  FailureOr<Table> compareCandidates(const Occasion &occasion);
  /// Calls the candidate once for each place of tensors with which it is timed, and compares its outputs with the
  /// reference. Sets `row.problem` if a call fails or outputs are wrong.
  void verify(const Occasion &occasion, const Reference &reference, CompiledCandidate &candidate, Row &row);
  /// Times all candidates without a problem in one run and sets the times, roofs and profile of `table`.
  LogicalResult time(const Occasion &occasion, Table &table);
  /// Creates the probes that measure the roofs (the limits of the machine or of the device): the rate of multiply-adds,
  /// the bandwidth of memory, and the bandwidths for data of these `sizes` in bytes. Sets `name` to the name of the
  /// roofs, such as "AVX-512" or the name of the device.
  FailureOr<std::unique_ptr<RoofProbes>> makeRoofs(ArrayRef<double> sizes, std::string &name);

  const Model &model;
  const ContestOptions &options;
  MLIRContext *context;
  Location loc;
  Field field;                                 // the candidates and the kernels of the model (Candidates.h)
  std::vector<CompiledCandidate> candidates;   // the default is the first
  std::unique_ptr<Session> profiled;           // the default with timers, from compileProfiled()
  std::vector<Buffers> buffers;                // for the current occasion, one for each caller
  KernelTimers timers;                         // for code on the CPU
  std::shared_ptr<LaunchTimers> launchTimers;  // for code on a device
  FirstError errors;                           // the first error of timed calls
  llvm::DenseMap<uint64_t, std::string> names; // the names of candidates, by the hash of their code
};

} // namespace

static Model copy(const Model &model) { return {model.module.get().clone(), model.weights, model.importAgain, model.classes}; }

std::optional<CompiledCandidate> Contest::compileCandidate(const Candidate &candidate,
                                                           std::vector<Ineligible> &others) {
  CompiledCandidate result;
  result.row.strategy = candidate.name;
  result.row.isDefault = candidate.isDefault;
  if (!candidate.strategies.empty())
    result.row.choice = candidate.strategies.front();
  CompileOptions compile = options.field.compile;
  compile.name = "model";
  compile.strategies = candidate.strategies;
  std::string firstError;
  FailureOr<CompiledModel> compiled = failure();
  {
    ScopedDiagnosticHandler handler(context, [&](Diagnostic &diagnostic) {
      if (firstError.empty() && diagnostic.getSeverity() == DiagnosticSeverity::Error)
        firstError = diagnostic.str();
      return success(candidate.tuned); // if this returns failure, the next handler prints the error
    });
    compiled = compileModel(copy(model), compile);
  }
  if (failed(compiled)) {
    if (candidate.tuned) {
      others.push_back({candidate.name, "does not compile: " + firstError});
      return std::nullopt;
    }
    result.row.problem = "does not compile: " + firstError;
    return result;
  }
  auto [same, isNew] = names.try_emplace(llvm::xxh3_64bits(compiled->object->getBuffer()), candidate.name);
  if (candidate.tuned && !isNew) {
    others.push_back({candidate.name, "has the same code as " + same->second});
    return std::nullopt;
  }
  result.row.codeSize = compiled->codeSize;
  result.row.arenaSize = compiled->arenaSize;
  DevicePtr device = options.device;
  if (options.count) {
    result.launches = std::make_shared<LaunchTimers>(device);
    device = LaunchTimers::tableOf(result.launches);
  }
  auto session = loadHere(std::move(*compiled), "model", "", std::move(device));
  if (!session) {
    result.row.problem = llvm::toString(session.takeError());
    return result;
  }
  result.sessions.push_back(std::move(*session));
  for (size_t i = 1; i < options.callers; ++i)
    result.sessions.push_back(result.sessions.front()->share());
  return result;
}

LogicalResult Contest::compileProfiled() {
  CompileOptions compile = options.field.compile;
  compile.name = "model";
  compile.strategies = field.candidates.front().strategies;
  DevicePtr timed;
  if (options.device) {
    launchTimers = std::make_shared<LaunchTimers>(options.device);
    timed = LaunchTimers::tableOf(launchTimers);
  } else {
    compile.changeModule = [&](Stage stage, ModuleOp module) { return timers.insert(stage, module); };
  }
  FailureOr<CompiledModel> compiled = compileModel(copy(model), compile);
  if (failed(compiled))
    return failure();
  auto session = loadHere(std::move(*compiled), "model", "", std::move(timed));
  if (!session)
    return emitError(loc) << "--profile: " << llvm::toString(session.takeError());
  profiled = std::move(*session);
  return success();
}

void Contest::verify(const Occasion &occasion, const Reference &reference, CompiledCandidate &candidate, Row &row) {
  if (candidate.sessions.empty())
    return;
  for (std::unique_ptr<Session> &session : candidate.sessions)
    session->setSizes(occasion.sizes);
  if (!occasion.sizes.empty())
    row.arenaSize = candidate.sessions.front()->model().arena_size(occasion.sizes.data(), 1);
  // Reserve the arenas now, so that timed calls do not fail for lack of memory.
  for (std::unique_ptr<Session> &session : candidate.sessions)
    if (llvm::Error error = session->reserveArena(options.executor)) {
      row.problem = llvm::toString(std::move(error));
      return;
    }
  bool isTimedOnHost = options.device && row.isDefault && !options.count;
  for (bool onHost : {false, true}) {
    if (!row.problem.empty() || (onHost && !isTimedOnHost))
      return;
    const char *where = onHost ? "with tensors on the host: " : "";
    auto outputs = buffers.front().callPoisoned(*candidate.sessions.front(), options.executor, onHost);
    if (!outputs) {
      row.problem = where + llvm::toString(outputs.takeError());
      return;
    }
    for (auto [i, output] : llvm::enumerate(*outputs)) {
      Comparison comparison = compare(resultName(occasion.main(), i), output, reference.wide[i], reference.narrow[i]);
      if (!comparison.ok && row.problem.empty())
        row.problem = where + comparison.text();
    }
  }
}

FailureOr<std::unique_ptr<RoofProbes>> Contest::makeRoofs(ArrayRef<double> sizes, std::string &name) {
  if (options.device) {
    name = options.device->description;
    auto meter = DeviceRoofMeter::create(*context, options.device, sizes, errors);
    if (meter)
      return std::unique_ptr<RoofProbes>(std::move(*meter));
    return emitError(loc) << llvm::toString(meter.takeError());
  }
  return std::unique_ptr<RoofProbes>(
      RoofMeter::forThisCpu(field.target->getFacts().features, options.roofExecutor, sizes, name));
}

LogicalResult Contest::time(const Occasion &occasion, Table &table) {
  std::function<void()> prepare;
  std::optional<ColdCaches> cold;
  if (options.coldBytes) {
    llvm::Expected<ColdCaches> created = ColdCaches::create(options.coldBytes, options.executor);
    if (!created)
      return emitError(loc) << llvm::toString(created.takeError());
    cold = std::move(*created);
    prepare = [&] { cold->touch(); };
  }
  // The data sizes for which bandwidths are measured. With cold caches, only the bandwidth of memory is needed.
  std::vector<double> sizes;
  if (!options.coldBytes) {
    sizes.push_back(double(options.callers) * table.work.bytes());
    for (const KernelInfo &kernel : field.kernels)
      if (options.profile)
        sizes.push_back(kernel.work.bytes());
  }
  FailureOr<std::unique_ptr<RoofProbes>> meter = makeRoofs(sizes, table.isa);
  if (failed(meter))
    return failure();
  std::vector<Subject> subjects = (*meter)->subjects();
  size_t roofCount = subjects.size();
  for (Subject &subject : subjects) // all probes together run as long as one candidate
    subject.duration = options.timing.duration / double(roofCount);
  // A call succeeded when the candidate was verified, so a timed call fails only if the device fails.
  auto add = [&](std::string name, size_t callers, auto call) {
    Subject subject;
    subject.name = std::move(name);
    subject.callers = callers;
    subject.prepare = prepare;
    subject.call = [this, call](size_t caller) {
      if (!errors)
        errors.take(call(caller));
    };
    subjects.push_back(std::move(subject));
  };
  std::vector<Row *> timed;
  CompiledCandidate *onHost = nullptr; // the default if it is timed with tensors on the host as well
  for (auto [compiled, row] : llvm::zip_equal(candidates, table.rows)) {
    if (!row.problem.empty())
      continue;
    add(row.strategy, options.callers, [this, &candidate = compiled](size_t caller) {
      return buffers[caller].call(*candidate.sessions[caller], options.executor);
    });
    timed.push_back(&row);
    if (options.device && row.isDefault)
      onHost = &compiled;
  }
  if (onHost)
    add("tensors on the host", options.callers, [this, onHost](size_t caller) {
      return buffers[caller].callOnHost(*onHost->sessions[caller], options.executor);
    });
  if (profiled) {
    profiled->setSizes(occasion.sizes);
    if (llvm::Error error = profiled->reserveArena(options.executor))
      return emitError(loc) << llvm::toString(std::move(error));
    (launchTimers ? launchTimers->times : timers.times).restart();
    add("profile", 1, [this](size_t) -> llvm::Error {
      if (llvm::Error error = buffers.front().call(*profiled, options.executor))
        return error;
      if (launchTimers)
        return launchTimers->finishCall();
      timers.finishCall();
      return llvm::Error::success();
    });
  }
  measure(subjects, options.timing, [&](double done) {
    options.progress("timing, " + std::to_string(int(100 * done)) + "%");
  });
  if (errors)
    return emitError(loc) << llvm::toString(errors.get());
  table.roofs = (*meter)->roofs(ArrayRef(subjects).take_front(roofCount));
  for (auto [row, subject] : llvm::zip(timed, ArrayRef(subjects).drop_front(roofCount)))
    row->setTimes(subject);
  if (onHost)
    table.hostTensors = subjects[roofCount + timed.size()].summary().median;
  if (profiled)
    table.profile = Profile(field.kernels, launchTimers ? launchTimers->times : timers.times,
                            subjects.back().summary().median, timed.empty() ? 0 : timed.front()->time.median);
  table.limit = limitOf(table.roof(), table.work, table.callers);
  return success();
}

FailureOr<Table> Contest::compareCandidates(const Occasion &occasion) {
  Table table;
  table.sizes = occasion.name;
  options.progress("interpreting");
  double start = now();
  FailureOr<Reference> reference =
      computeReference(occasion.main(), occasion.inputsWithDefaults, weightsFrom(occasion.model->weights));
  if (failed(reference))
    return failure();
  buffers.clear();
  for (size_t i = 0; i < options.callers; ++i)
    buffers.emplace_back(occasion.main(), occasion.inputs);
  for (CompiledCandidate &candidate : candidates) {
    if (options.device && !candidate.sessions.empty() && !buffers.front().isOnDevice())
      for (Buffers &each : buffers)
        if (llvm::Error error = each.moveTo(options.device, candidate.sessions.front()->model()))
          return emitError(loc) << llvm::toString(std::move(error));
    table.rows.push_back(candidate.row);
    verify(occasion, *reference, candidate, table.rows.back());
    if (options.count && table.rows.back().problem.empty())
      table.rows.back().counts = candidate.launches->counts();
  }
  table.expense.verifying = now() - start;

  if (!occasion.sizes.empty())
    field.countAt(occasion.sizes);
  table.threads = options.executor ? options.executor->threads : 1;
  table.callers = options.callers;
  table.coldBytes = options.coldBytes;
  if (options.device)
    table.device = std::string(options.device->name) + " (" + options.device->driver + ")";
  table.work = field.work;
  table.others = field.others;
  table.isCounted = options.count;
  if (options.count) {
    table.kernels = field.kernels;
    return table;
  }
  start = now();
  if (failed(time(occasion, table)))
    return failure();
  table.expense.timing = now() - start;
  return table;
}

FailureOr<std::vector<Table>> Contest::run(ArrayRef<Occasion> occasions, bool &wrongUsage) {
  FailureOr<Field> found = findCandidates(*model.module, options.field, wrongUsage);
  if (failed(found))
    return failure();
  field = std::move(*found);
  double start = now();
  for (auto [i, candidate] : llvm::enumerate(field.candidates)) {
    options.progress("compiling " + candidate.name + ", " + std::to_string(i + 1) + " of " +
                     std::to_string(field.candidates.size()));
    if (std::optional<CompiledCandidate> compiled = compileCandidate(candidate, field.others))
      candidates.push_back(std::move(*compiled));
  }
  if (options.profile && !options.count && failed(compileProfiled()))
    return failure();
  double compiling = now() - start;
  std::vector<Table> tables;
  for (const Occasion &occasion : occasions) {
    FailureOr<Table> table = compareCandidates(occasion);
    if (failed(table))
      return failure();
    table->expense.compiling = std::exchange(compiling, 0); // compiled once, for all tables
    tables.push_back(std::move(*table));
  }
  return tables;
}

FailureOr<std::vector<Table>> heddle::bench::runContest(const Model &model, ArrayRef<Occasion> occasions,
                                                        const ContestOptions &options, bool &wrongUsage) {
  return Contest(model, options).run(occasions, wrongUsage);
}
