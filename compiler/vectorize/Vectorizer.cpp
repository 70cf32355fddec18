//===- Vectorizer.cpp - linalg to loops over 1-D vectors ------------------===//

#include "Vectorizer.h"
#include "BlockVectorizer.h"
#include "FoldVectorizer.h"
#include "Hints.h"
#include "ProductVectorizer.h"
#include "TileVectorizer.h"

#include "kinds/MatrixCode.h"
#include "tiles/TilePlaces.h"

#include "Notes.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace heddle;

/// Returns whether the op is in code that is rarely executed: it or an op around it has the annotation notes::rare.
static bool isRare(Operation *op) {
  for (; op; op = op->getParentOp())
    if (notes::rare.has(op))
      return true;
  return false;
}

/// Replaces `op` and its epilogue by loops over 1-D vectors. If `op` cannot be vectorised, emits an error and changes
/// nothing.
static LogicalResult vectorizeBlock(RewriterBase &rewriter, linalg::LinalgOp op, ArrayRef<linalg::GenericOp> epilogue,
                                    VectorOptions options) {
  if (std::optional<FoldPlan> plan = planFold(op, options)) {
    rewriter.replaceOp(op, FoldVectorizer(rewriter, op, std::move(*plan)).emit());
    return success();
  }
  if (isRare(op)) // small tiles keep the code short, and four accumulators hide most of the latency
    options.registers = std::min<int64_t>(options.registers, 6);
  BlockVectorizer vectorizer(rewriter, op, options, epilogue);
  if (failed(vectorizer.classify()))
    return failure();
  SmallVector<Value> results = vectorizer.emit();
  for (linalg::GenericOp next : llvm::reverse(epilogue))
    rewriter.replaceOp(next, next.getNumReductionLoops() ? results[1] : results[0]);
  rewriter.replaceOp(op, ValueRange(results).take_front(op->getNumResults()));
  return success();
}

/// Vectorises ops on blocks that lie in a cache (VectorOptions::blocks).
static LogicalResult vectorizeBlocks(RewriterBase &rewriter, Operation *root, const VectorOptions &options) {
  // Consumers are vectorised before producers, so that an op still finds the linalg.fill from which its accumulators
  // start.
  SmallVector<linalg::LinalgOp> ops;
  WalkResult found = root->walk([&](Operation *op) {
    if (isa<TileProductOp>(op)) {
      op->emitOpError("can be vectorised only in register tiles, not in blocks");
      return WalkResult::interrupt();
    }
    if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
      ops.push_back(linalgOp);
    return WalkResult::advance();
  });
  if (found.wasInterrupted())
    return failure();
  DenseMap<Operation *, SmallVector<linalg::GenericOp>> epilogue;
  DenseSet<Operation *> taken;
  for (linalg::LinalgOp op : ops)
    if (!taken.contains(op)) {
      epilogue[op] = epilogueOf(op, options);
      taken.insert_range(epilogue[op]);
    }
  for (linalg::LinalgOp op : llvm::reverse(ops)) {
    if (taken.contains(op))
      continue;
    if (isOpTriviallyDead(op)) {
      rewriter.eraseOp(op);
      continue;
    }
    if (failed(vectorizeBlock(rewriter, op, epilogue[op], options)))
      return failure();
  }
  root->walk([](scf::ForOp loop) {
    if (isRare(loop))
      loop->setAttr("loop_annotation", keepRolled(loop.getContext()));
  });
  return success();
}

/// Returns whether the op is not computed with vectors, because it works on tiles of a workgroup or because matrix
/// instructions compute it.
static bool hasNoVectors(Operation *op) {
  auto product = dyn_cast<TileProductOp>(op);
  return isOnTiles(op) || (product && isa<MatrixCode>(Attribute(product.getKind())));
}

/// Vectorises ops on small tiles, which are passed from op to op in registers.
static LogicalResult vectorizeTiles(RewriterBase &rewriter, Operation *root, const VectorOptions &options) {
  // Producers are vectorised before consumers, so that an op finds the register tiles of earlier ops.
  SmallVector<Operation *> ops;
  root->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isa<linalg::LinalgOp, TileProductOp>(op) && !hasNoVectors(op))
      ops.push_back(op);
  });
  VectorBuilder b(rewriter.getUnknownLoc(), rewriter);
  RegisterTiles registers(b, options.lanes);
  TileVectorizer tiles(rewriter, b, registers, options);
  ProductVectorizer products(rewriter, b, registers, options);
  for (Operation *op : ops) {
    auto product = dyn_cast<TileProductOp>(op);
    auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
    if (op->use_empty() && (product || linalgOp.hasPureTensorSemantics()))
      rewriter.eraseOp(op);
    else if (failed(product ? products.vectorize(product) : tiles.vectorize(linalgOp)))
      return failure();
  }
  return success();
}

LogicalResult heddle::vectorizeAll(RewriterBase &rewriter, Operation *root, const VectorOptions &options) {
  return options.blocks ? vectorizeBlocks(rewriter, root, options) : vectorizeTiles(rewriter, root, options);
}
