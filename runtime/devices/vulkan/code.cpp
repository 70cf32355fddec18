//===- code.cpp - builds a pipeline for each kernel -----------------------===//

#include "vulkan.h"

#include "../spirv.h"

#include <new>

using namespace heddle;

heddle_status VulkanCode::create(const heddle_program &program) {
  if (auto status = checkSpirv(vulkan, program, vulkan.facts.spirv))
    return status;
  kernels.reset(new (std::nothrow) VulkanKernel[program.kernel_count]);
  if (!kernels)
    return failOutOfHostMemory();
  for (count = 0; count < program.kernel_count; ++count)
    if (auto status = createKernel(program, program.kernels[count], kernels[count])) {
      ++count; // so that the destructor also frees the parts of this kernel that exist
      return status;
    }
  return HEDDLE_OK;
}

heddle_status VulkanCode::createKernel(const heddle_program &program, const heddle_kernel &kernel, VulkanKernel &made) {
  std::unique_ptr<VkDescriptorSetLayoutBinding[]> bindings(new (std::nothrow)
                                                               VkDescriptorSetLayoutBinding[kernel.buffers]);
  if (!bindings)
    return failOutOfHostMemory();
  for (uint32_t i = 0; i < kernel.buffers; ++i)
    bindings[i] = {i, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, nullptr};
  VkDescriptorSetLayoutCreateInfo setInfo = {};
  setInfo.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO;
  setInfo.bindingCount = uint32_t(kernel.buffers);
  setInfo.pBindings = bindings.get();
  const VulkanDeviceFunctions &f = vulkan.f;
  if (auto status = check(f.vkCreateDescriptorSetLayout(vulkan.device, &setInfo, nullptr, &made.setLayout),
                          "vkCreateDescriptorSetLayout"))
    return status;
  VkPipelineLayoutCreateInfo layoutInfo = {};
  layoutInfo.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO;
  layoutInfo.setLayoutCount = 1;
  layoutInfo.pSetLayouts = &made.setLayout;
  if (auto status =
          check(f.vkCreatePipelineLayout(vulkan.device, &layoutInfo, nullptr, &made.layout), "vkCreatePipelineLayout"))
    return status;
  SpirvModule code = spirvOf(program, kernel);
  std::unique_ptr<uint32_t[]> words;
  // If the device lacks a float control, a request for it would be invalid.
  if (~vulkan.facts.features & floatControlFeatures)
    if (auto status = dropFloatControls(vulkan.facts.features, code, words))
      return status;
  VkShaderModuleCreateInfo moduleInfo = {};
  moduleInfo.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO;
  moduleInfo.codeSize = code.size;
  moduleInfo.pCode = code.words;
  VkShaderModule module;
  if (auto status = check(f.vkCreateShaderModule(vulkan.device, &moduleInfo, nullptr, &module), "vkCreateShaderModule"))
    return status;
  VkComputePipelineCreateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO;
  info.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
  info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
  info.stage.module = module;
  info.stage.pName = kernel.name;
  info.layout = made.layout;
  VkResult result;
  {
    Lock lock(vulkan.pipelinesMutex);
    result = f.vkCreateComputePipelines(vulkan.device, vulkan.pipelines, 1, &info, nullptr, &made.pipeline);
  }
  f.vkDestroyShaderModule(vulkan.device, module, nullptr);
  return check(result, "vkCreateComputePipelines");
}

VulkanCode::~VulkanCode() {
  const VulkanDeviceFunctions &f = vulkan.f;
  for (uint64_t i = 0; i < count; ++i) {
    f.vkDestroyPipeline(vulkan.device, kernels[i].pipeline, nullptr);
    f.vkDestroyPipelineLayout(vulkan.device, kernels[i].layout, nullptr);
    f.vkDestroyDescriptorSetLayout(vulkan.device, kernels[i].setLayout, nullptr);
  }
}
